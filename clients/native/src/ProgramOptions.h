#pragma once

#include <cstddef>
#include <cstring>
#include <stdexcept>

#include "Settings.h"
#include "anechoic.h"

namespace anechoic {

// A mistake in the options of a C program.
struct OptionError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The size of the options of version 0.1.
constexpr size_t firstOptionsSize = offsetof(anechoic_options, server_name);

// Whether a structure of any version can have this size. Uninitialized memory rarely passes.
constexpr bool canBeSize(size_t size) { return size <= 4096; }

// A C program may store any number in an enumeration, which C++ must not read as one.
template <typename Enumeration>
int code(const Enumeration& enumeration) {
  static_assert(sizeof enumeration == sizeof(int));
  int value;
  std::memcpy(&value, &enumeration, sizeof value);
  return value;
}

anechoic_options defaults();
// Returns the settings of a program that knows fewer options or more. Throws OptionError.
Settings settings(const anechoic_options* given);

}  // namespace anechoic
