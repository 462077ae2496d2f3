#pragma once

#include <cstdint>
#include <vector>

namespace anechoic {

// Keeps the latest sample frames, which can be read again at any position that is still kept.
class DelayLine {
 public:
  DelayLine(int64_t capacity, size_t channels)
      : channels_(channels), samples_(capacity * channels) {}

  // Returns the place of a position: before the first sample frame, it holds silence.
  float* at(int64_t position) noexcept {
    const int64_t capacity = static_cast<int64_t>(samples_.size() / channels_);
    return &samples_[((position % capacity + capacity) % capacity) * channels_];
  }

 private:
  size_t channels_;
  std::vector<float> samples_;
};

}  // namespace anechoic
