#pragma once

#include <time.h>

#include <cstdint>

// The clock of a sound card.
class Pace {
 public:
  explicit Pace(uint32_t rate) : rate_(rate) { clock_gettime(CLOCK_MONOTONIC, &start_); }

  // Waits until so many samples have passed since the beginning.
  void wait(uint64_t samples) const {
    const int64_t due = start_.tv_nsec + int64_t(samples) * 1000000000 / rate_;
    const timespec time{start_.tv_sec + due / 1000000000, due % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr);
  }

 private:
  const uint32_t rate_;
  timespec start_;
};
