#pragma once

#include <stdexcept>
#include <string>

#include "Settings.h"

struct spa_dict;

namespace anechoic {

// A mistake in `aec.args`. The message says where it is and what would be right.
struct OptionError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Returns the settings of a voice without any `aec.args`.
Settings defaultSettings(Format format);

// Applies `aec.args`, which docs/how-to/use-under-a-desktop.md describes and which may be nullptr.
// Throws OptionError.
void apply(const spa_dict* arguments, Settings& settings);

}  // namespace anechoic
