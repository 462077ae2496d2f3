#pragma once

#include <cstdint>

#include "Messages.h"

namespace anechoic {

/// Moves all positions of an event in the timeline of the microphone.
void move(v1::SessionEvent& event, int64_t samples);

}  // namespace anechoic
