#pragma once

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

// From now on, a system call that can wait kills the process. No effect in a build with a
// sanitizer.
void allowOnlyWrites();

}  // namespace audio_thread
