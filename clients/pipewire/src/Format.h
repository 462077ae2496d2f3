#pragma once

#include <cstddef>
#include <cstdint>

namespace anechoic {

// The sample rate and the channel count of the microphone, the reference and the output.
struct Format {
  uint32_t rate;
  uint32_t channels;

  // Sample frames in 10 ms, the unit in which audio travels to the server and back.
  size_t frameSamples() const { return rate / 100; }
  int64_t samples(int64_t milliseconds) const { return rate * milliseconds / 1000; }
};

}  // namespace anechoic
