#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace anechoic {

// Changes between the processed voice and the fallback within `length` sample frames, without a
// click.
//
// The processed voice can end without notice. Its last samples, played backwards, then fade out
// while the fallback fades in. The fallback begins as much lower than itself as the processed voice
// was, and rises within 30 times the length: a short break lets no echo through.
class Crossfade {
 public:
  Crossfade(size_t length, size_t channels)
      : length_(length), channels_(channels), recent_(length * channels) {}

  // Writes the next sample frame. `processed` is nullptr while there is none.
  // Runs per sample: no allocation, lock or wait.
  void next(const float* processed, const float* fallback, float* output) noexcept {
    const float* const voice = nextVoice(processed, fallback);
    recovery_ = std::min(recovery_ + 1 / (30 * static_cast<float>(length_)), 1.0f);
    if (level_ == length_) {
      std::copy_n(voice, channels_, output);
      return;
    }
    const float gain = static_cast<float>(level_) / static_cast<float>(length_);
    for (size_t channel = 0; channel < channels_; ++channel) {
      output[channel] = (1 - gain) * (fallbackGain() * fallback[channel]);
      if (level_ > 0) output[channel] += gain * voice[channel];
    }
  }

  // Whether the last sample frame was the processed voice, and nothing else.
  bool isProcessed() const noexcept { return level_ == length_ && !ending_; }

 private:
  // Moves the level, and returns what is mixed with it.
  const float* nextVoice(const float* processed, const float* fallback) noexcept {
    if (processed == nullptr && level_ > 0 && !ending_) {
      ending_ = true;
      firstFallbackGain_ = std::sqrt(std::min(voicePower_ / fallbackPower_, 1.0f));
      recovery_ = 0;
    }
    if (ending_) {
      ending_ = --level_ > 0;
      return backwards();
    }
    if (processed != nullptr) {
      level_ = std::min(level_ + 1, length_);
      remember(processed, fallback);
    }
    return processed;
  }

  // Rises slowly at first, so that a break of 100 ms stays as quiet as it began.
  float fallbackGain() const noexcept {
    if (recovery_ == 1) return 1;
    return std::lerp(firstFallbackGain_, 1.0f, recovery_ * recovery_ * recovery_);
  }

  void remember(const float* voice, const float* fallback) noexcept {
    std::copy_n(voice, channels_, &recent_[newest_ * channels_]);
    newest_ = (newest_ + 1) % length_;
    const float share = 1 / static_cast<float>(2 * length_);
    const float voicePower = power(voice), fallbackPower = power(fallback);
    if (!std::isfinite(voicePower) || !std::isfinite(fallbackPower)) return;
    voicePower_ += share * (voicePower - voicePower_);
    fallbackPower_ += share * (fallbackPower - fallbackPower_);
  }
  float power(const float* samples) const noexcept {
    float sum = leastPower;
    for (size_t channel = 0; channel < channels_; ++channel) {
      sum += samples[channel] * samples[channel];
    }
    return sum;
  }

  // At least `level_` sample frames are remembered, and each takes one off the level.
  const float* backwards() noexcept {
    newest_ = (newest_ + length_ - 1) % length_;
    return &recent_[newest_ * channels_];
  }

  static constexpr float leastPower = 1e-9f;  // -90 dBFS

  size_t length_;
  size_t channels_;
  std::vector<float> recent_;
  size_t newest_ = 0;  // the place after the newest sample frame
  size_t level_ = 0;   // 0: only the fallback; length_: only the processed voice
  bool ending_ = false;
  float firstFallbackGain_ = 1;
  float recovery_ = 1;             // from 0 to 1 while the fallback rises to its full level
  float voicePower_ = leastPower;  // of all channels, over about 20 ms
  float fallbackPower_ = leastPower;
};

}  // namespace anechoic
