#ifndef LOAD_CLIENT_TIMETABLE_H
#define LOAD_CLIENT_TIMETABLE_H

#include <chrono>

using Clock = std::chrono::steady_clock;

// The schedule of all streams. A stream sends a frame every 10 ms. Frames after the warm-up are
// measured. If `silence` is not 0, a pause and one more frame follow. If `frames` is not 0, each
// stream sends that number of frames, however long they take, and no time is measured.
struct Timetable {
  static constexpr std::chrono::milliseconds kFrame{10};
  static constexpr std::chrono::seconds kWarmUp{1};
  static constexpr std::chrono::minutes kLongest{10};  // The limit for a number of frames.

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
  const std::chrono::seconds silence;  // 0 for no pause.
  const int frames;  // The frames of each stream; 0 to stop by time.
};

#endif
