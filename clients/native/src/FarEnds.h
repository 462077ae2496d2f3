#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "Tape.h"

namespace anechoic {

// One channel of sound to be played, at the positions of the microphone with which it came.
struct FarEndTape {
  explicit FarEndTape(int64_t capacity) : tape(capacity, 1) {}

  SparseTape tape;
  // The position after the last sample that was pushed.
  std::atomic<int64_t> end{0};
  std::atomic_flag pushing;
};

// The named far ends of a session, or the channels of its other audio. One thread pushes each of them.
class FarEnds {
 public:
  FarEnds(uint32_t count, int64_t capacity) {
    for (uint32_t index = 0; index < count; ++index) {
      tapes_.push_back(std::make_unique<FarEndTape>(capacity));
    }
  }

  size_t count() const noexcept { return tapes_.size(); }

  // Adds samples that belong to the microphone from the position `pushed` on, or follow those of
  // before. Samples that are more than `longest` ahead of the microphone are dropped. Returns the
  // number that was taken. Runs per block: no allocation, lock, log or wait.
  template <typename Samples>
  int64_t push(size_t index, int64_t count, int64_t pushed, int64_t longest,
               const Samples& samples) noexcept {
    FarEndTape& far = *tapes_[index];
    if (far.pushing.test_and_set(std::memory_order_acquire)) return 0;
    const int64_t start = std::max(far.end.load(std::memory_order_relaxed), pushed);
    const int64_t taken = std::clamp<int64_t>(pushed + longest - start, 0, count);
    for (int64_t frame = 0; frame < taken; ++frame) {
      const float sample = samples(frame);
      far.tape.put(start + frame, 1, &sample);
    }
    far.end.store(start + taken, std::memory_order_release);
    far.pushing.clear(std::memory_order_release);
    return taken;
  }

  // Whether one of them has sound in a span of positions.
  bool has(size_t index, int64_t first, int64_t count) const noexcept {
    for (int64_t position = first; position < first + count; ++position) {
      if (tapes_[index]->tape.has(position)) return true;
    }
    return false;
  }
  // Returns the sample of a far end at a position, or silence.
  float get(size_t index, int64_t position) const noexcept {
    const SparseTape& tape = tapes_[index]->tape;
    return tape.has(position) ? tape.get(position, 0) : 0;
  }
  // Returns the sum of all of them at a position.
  float sum(int64_t position) const noexcept {
    float sum = 0;
    for (size_t index = 0; index < tapes_.size(); ++index) sum += get(index, position);
    return sum;
  }

 private:
  std::vector<std::unique_ptr<FarEndTape>> tapes_;
};

}  // namespace anechoic
