#ifndef LOAD_CLIENT_TIMETABLE_H
#define LOAD_CLIENT_TIMETABLE_H

#include <chrono>

using Clock = std::chrono::steady_clock;

// When what happens, the same for every stream: frames every 10 ms, of which those after the
// warm-up are measured; then, if wanted, silence and one more frame. With a number of frames, each
// stream sends that many, however long they take, and no time is measured.
struct Timetable {
  static constexpr std::chrono::milliseconds kFrame{10};
  static constexpr std::chrono::seconds kWarmUp{1};
  static constexpr std::chrono::minutes kLongest{10};  // for a number of frames

  Timetable(Clock::time_point start, std::chrono::seconds measured, std::chrono::seconds silence,
            int frames)
      : start(start),
        measured_from(start + kWarmUp),
        measured_to(frames > 0 ? start + kLongest : measured_from + measured),
        silence(silence),
        frames(frames) {}

  const Clock::time_point start;
  const Clock::time_point measured_from;
  const Clock::time_point measured_to;
  const std::chrono::seconds silence;  // 0: none
  const int frames;  // of each stream; 0: by time
};

#endif
