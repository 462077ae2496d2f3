#pragma once

#include <cstddef>
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

anechoic_options defaults();
// Returns the settings of a program that knows fewer options or more. Throws OptionError.
Settings settings(const anechoic_options* given);

}  // namespace anechoic
