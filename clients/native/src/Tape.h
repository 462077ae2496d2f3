#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace anechoic {

// The newest samples of a signal, at their positions. One thread writes, and others read.
//
// No thread waits: the writer replaces the oldest samples. A reader that is too slow reads
// newer samples at an old position, so readers stay within the capacity. All functions run per
// sample: no allocation, lock or wait.
class Tape {
 public:
  // The capacity is in sample frames.
  Tape(int64_t capacity, size_t channels)
      : capacity_(capacity), channels_(channels), samples_(size_t(capacity) * channels) {}

  int64_t capacity() const noexcept { return capacity_; }

  void put(int64_t position, size_t channel, float sample) noexcept {
    samples_[place(position) + channel].store(sample, std::memory_order_relaxed);
  }
  // Returns 0 before the first position.
  float get(int64_t position, size_t channel) const noexcept {
    if (position < 0) return 0;
    return samples_[place(position) + channel].load(std::memory_order_relaxed);
  }

 private:
  size_t place(int64_t position) const noexcept { return size_t(position % capacity_) * channels_; }

  const int64_t capacity_;
  const size_t channels_;
  std::vector<std::atomic<float>> samples_;
};

// A tape with gaps: each position says whether it was written.
class SparseTape {
 public:
  SparseTape(int64_t capacity, size_t channels)
      : tape_(capacity, channels), stamps_(size_t(capacity)) {}

  int64_t capacity() const noexcept { return tape_.capacity(); }

  // Writes one sample frame.
  template <typename Samples>
  void put(int64_t position, size_t channels, const Samples& samples) noexcept {
    for (size_t channel = 0; channel < channels; ++channel) {
      tape_.put(position, channel, samples[channel]);
    }
    stamps_[place(position)].store(stamp(position), std::memory_order_release);
  }
  // Whether there is a sample frame at a position.
  bool has(int64_t position) const noexcept {
    return position >= 0 &&
           stamps_[place(position)].load(std::memory_order_acquire) == stamp(position);
  }
  float get(int64_t position, size_t channel) const noexcept {
    return tape_.get(position, channel);
  }

 private:
  size_t place(int64_t position) const noexcept { return size_t(position % capacity()); }
  // Identifies the position among those that share a place. It repeats only after years.
  static uint32_t stamp(int64_t position) noexcept { return uint32_t(position) | 0x80000000u; }

  Tape tape_;
  std::vector<std::atomic<uint32_t>> stamps_;
};

}  // namespace anechoic
