#ifndef ANECHOIC_CGRPC_READ_WATCH_H
#define ANECHOIC_CGRPC_READ_WATCH_H

#include <time.h>

#include <atomic>
#include <cstdint>

namespace anechoic {

// Frees a queue's thread that a flood of cancelled calls holds.
//
// libgrpc reads connections in the threads that wait for events. While a client starts and cancels calls
// without a pause (CVE-2023-44487), the thread may read for ever: it returns no event, the cancelled
// calls are never reported, so that ResetGuard does not see them, and they fill the memory. The watch
// notices that a thread uses processor time in one wait. It then asks libgrpc's channelz for the
// connections that start many calls and deliver no messages, and resets them. A client may start as many
// calls at once as a connection may have open.
//
// The kernel's timer counts the thread's processor time alone, so that an idle thread is never woken.
class ReadWatch {
 public:
  // Watches the calling thread.
  ReadWatch();
  ~ReadWatch();
  ReadWatch(const ReadWatch &) = delete;

  // Tells how many calls a connection of some server in the process may have open.
  static void expect_calls(int32_t limit);

  // The time within which the thread waits for an event.
  class Wait {
   public:
    explicit Wait(ReadWatch &watch) : waits_(watch.waits_) { ++waits_; }
    ~Wait() { ++waits_; }

   private:
    std::atomic<uint64_t> &waits_;
  };

  // Records that the thread has used its processor time since the last call. Returns whether the
  // thread used all of the time in one wait. Call this on the thread that watches.
  bool was_held();

 private:
  std::atomic<uint64_t> waits_{0};  // Odd during a wait.
  uint64_t seen_ = 0;               // Belongs to the thread that watches.
  int id_ = 0;
  bool has_timer_ = false;
  timer_t timer_{};
};

}  // namespace anechoic

#endif
