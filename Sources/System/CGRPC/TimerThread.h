#ifndef ANECHOIC_CGRPC_TIMER_THREAD_H
#define ANECHOIC_CGRPC_TIMER_THREAD_H

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <unordered_map>

namespace anechoic {

// A timer of a `TimerThread`.
class Expiring {
 public:
  // Runs on the thread when the time has come. Must not wait, and must not call the thread's functions.
  virtual void expire() = 0;

 protected:
  ~Expiring() = default;
};

// The thread that waits for the timers of the process, by a clock that never jumps.
class TimerThread {
 public:
  // The thread of the process. It runs from the first call to the end of the process.
  static TimerThread &shared();

  // Expires the timer after the delay, unless it is removed before.
  void add(Expiring *timer, int64_t delay_ns);

  // Forgets a timer, if it is known. When this returns, its `expire` does not run any more.
  void remove(Expiring *timer);

 private:
  using Instant = std::chrono::steady_clock::time_point;
  using Timers = std::multimap<Instant, Expiring *>;

  TimerThread();
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  Timers timers_;
  std::unordered_map<Expiring *, Timers::iterator> places_;
};

}  // namespace anechoic

#endif
