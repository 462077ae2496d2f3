#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

// The audio thread must not do the following: allocate, lock, sleep, or make any system call except
// the non-blocking write that wakes the worker.
namespace audio_thread {

// The calls of malloc, free, pthread_mutex_lock, poll and the like on this thread while an `Audio`
// is in scope. Always 0 in a build with a sanitizer, which brings such functions of its own.
int forbiddenCalls();

class Audio {
 public:
  Audio();
  ~Audio();
};

// From now on, a system call that can wait kills the process. Returns whether the system allows
// this. No effect in a build with a sanitizer.
bool allowOnlyWrites();

// Calls a step for each 10 ms of a sound, in real time, on a thread on which a system call that can
// wait kills the process. The step gets the first sample and the number of samples, and returns its
// faults. Returns these, and the calls that are forbidden.
using Step = std::function<int(size_t first, size_t count)>;
int runInRealTime(size_t samples, uint32_t rate, const Step& step);

}  // namespace audio_thread
