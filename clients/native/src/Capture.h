#pragma once

#include <algorithm>
#include <cmath>

#include "Exchange.h"

namespace anechoic {

// The work of the thread that pushes.
class Capture {
 public:
  Capture(Format format, Exchange& exchange) : format_(format), exchange_(exchange) {}

  // Adds sample frames. `microphone(frame, channel)` and `reference(frame, channel)` return
  // samples. If there is no room for all of them, the newest are kept. Runs per block: no
  // allocation, lock, log or wait.
  template <typename Microphone, typename Reference>
  void push(int64_t count, const Microphone& microphone, const Reference& reference) noexcept {
    const int64_t start = exchange_.pushed.load(std::memory_order_relaxed);
    const int64_t kept = exchange_.wait + exchange_.delay.load(std::memory_order_relaxed);
    for (int64_t frame = std::max<int64_t>(count - kept, 0); frame < count; ++frame) {
      const int64_t position = start + frame;
      for (size_t channel = 0; channel < format_.channels; ++channel) {
        exchange_.microphone.put(position, channel, finite(microphone(frame, channel)));
      }
      for (size_t channel = 0; channel < format_.referenceChannels; ++channel) {
        exchange_.reference.put(position, channel, finite(reference(frame, channel)));
      }
    }
    const int64_t end = start + count;
    exchange_.pushed.store(end, std::memory_order_release);
    if (end / format_.frameSamples() != start / format_.frameSamples()) exchange_.wakeup.signal();
  }

 private:
  static float finite(float sample) noexcept { return std::isfinite(sample) ? sample : 0; }

  const Format format_;
  Exchange& exchange_;
};

}  // namespace anechoic
