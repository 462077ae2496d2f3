#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace anechoic {

// Changes between the processed voice and the fallback within `length` sample frames, without a
// click. The processed voice can end without notice: its last samples, played backwards, then fade
// out while the fallback fades in.
class Crossfade {
 public:
  Crossfade(size_t length, size_t channels)
      : length_(length), channels_(channels), recent_(length * channels) {}

  // Writes the next sample frame. `processed` is nullptr while there is none.
  // Runs per sample: no allocation, lock or wait.
  void next(const float* processed, const float* fallback, float* output) noexcept {
    if (processed == nullptr && level_ > 0) ending_ = true;
    const float* voice = ending_ ? backwards() : processed;
    if (ending_) {
      ending_ = --level_ > 0;
    } else if (voice != nullptr) {
      level_ = std::min(level_ + 1, length_);
      remember(voice);
    }
    if (level_ == 0 || level_ == length_) {
      std::copy_n(level_ == 0 ? fallback : voice, channels_, output);
      return;
    }
    const float gain = static_cast<float>(level_) / static_cast<float>(length_);
    for (size_t channel = 0; channel < channels_; ++channel) {
      output[channel] = gain * voice[channel] + (1 - gain) * fallback[channel];
    }
  }

 private:
  void remember(const float* voice) noexcept {
    std::copy_n(voice, channels_, &recent_[newest_ * channels_]);
    newest_ = (newest_ + 1) % length_;
  }
  // At least `level_` sample frames are remembered, and each takes one off the level.
  const float* backwards() noexcept {
    newest_ = (newest_ + length_ - 1) % length_;
    return &recent_[newest_ * channels_];
  }

  size_t length_;
  size_t channels_;
  std::vector<float> recent_;
  size_t newest_ = 0;  // the place after the newest sample frame
  size_t level_ = 0;   // 0: only the fallback; length_: only the processed voice
  bool ending_ = false;
};

}  // namespace anechoic
