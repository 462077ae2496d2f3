#pragma once

#include <cstddef>
#include <cstdint>

namespace anechoic {

// The sample rate and the channel counts. The voice has the channels of the microphone.
struct Format {
  uint32_t rate;
  uint32_t channels;
  uint32_t referenceChannels;     // 0: no reference
  uint32_t playbackChannels = 0;  // 0: no playback

  // Sample frames in 10 ms, the unit in which audio travels to the server and back.
  int64_t frameSamples() const { return rate / 100; }
  int64_t samples(int64_t milliseconds) const { return int64_t(rate) * milliseconds / 1000; }
  int64_t milliseconds(int64_t samples) const { return samples * 1000 / int64_t(rate); }
};

}  // namespace anechoic
