#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "Format.h"

namespace anechoic {

// The audio from before a new session that its caller still owes. A caller that stalls while the
// session starts gives this audio afterwards, at once. The session would stay behind by as much, so
// this audio is dropped. Does no I/O, and reads no clock.
class Debt {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::steady_clock::duration;
  // The lead over real time that audio may have.
  static constexpr std::chrono::milliseconds allowance{100};
  // The time for which the first audio waits for the rest of its burst.
  static constexpr std::chrono::milliseconds burst{50};
  // The time after the first audio within which audio belongs to its burst.
  static constexpr std::chrono::milliseconds longestBurst{1000};

  explicit Debt(Format format) : format_(format) {}

  // A session has begun with the sample at a position. The caller gave audio last at a time.
  void began(Time now, std::optional<Time> heard, int64_t position) {
    began_ = now;
    position_ = position;
    first_.reset();
    owed_ = heard && now - *heard > allowance ? samples(now - *heard) : 0;
  }
  // Returns the time until which audio must not be sent. `pushed` is the position of the microphone.
  std::optional<Time> waits(Time now, int64_t pushed) {
    if (owed_ == 0 || pushed <= position_) return std::nullopt;
    if (!first_) first_ = now;
    if (now - *first_ > longestBurst) owed_ = 0;
    if (now - *first_ >= burst) return std::nullopt;
    return *first_ + burst;
  }
  // Records sample frames that were dropped because they waited too long.
  void gaveUp(int64_t count) {
    position_ += count;
    owed_ = std::max<int64_t>(owed_ - count, 0);
  }
  // Returns how many of the oldest sample frames to drop, in whole frames of 10 ms.
  int64_t excess(Time now, int64_t pushed) {
    const int64_t ahead = pushed - position_ - samples(now - began_);
    if (owed_ == 0 || ahead <= format_.samples(allowance.count())) return 0;
    const int64_t frame = format_.frameSamples();
    const int64_t count = (std::min(ahead, owed_) + frame - 1) / frame * frame;
    gaveUp(count);
    return count;
  }

 private:
  int64_t samples(Duration time) const {
    return format_.samples(std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
  }

  const Format format_;
  Time began_{};
  int64_t position_ = 0;       // of the first sample that the session may have
  std::optional<Time> first_;  // the time of the session's first audio
  int64_t owed_ = 0;           // in sample frames
};

}  // namespace anechoic
