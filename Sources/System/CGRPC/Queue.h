#ifndef ANECHOIC_CGRPC_QUEUE_H
#define ANECHOIC_CGRPC_QUEUE_H

#include <grpc/support/time.h>
#include <grpcpp/alarm.h>
#include <grpcpp/completion_queue.h>

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_set>

#include "CGRPCQueue.h"

namespace anechoic {

class ReadWatch;

// An operation on a completion queue, which hands the tag back when the operation has completed.
class Tag {
 public:
  virtual void complete(bool ok) = 0;

 protected:
  ~Tag() = default;
};

// A tag that calls a member function of the object that it is part of.
template <class Owner, void (Owner::*completion)(bool)>
class MemberTag final : public Tag {
 public:
  explicit MemberTag(Owner *owner) : owner_(owner) {}
  void complete(bool ok) override { (owner_->*completion)(ok); }

 private:
  Owner *owner_;
};

// How the thread of a queue waits for events. The threads that poll take turns: one of them waits for all
// sockets of the process, also for those of other queues, and wakes the thread that an event is for. A
// thread that has little to do would wait for the sockets nearly always, and each frame of audio would
// wake two threads.
enum class Waiting {
  // The thread polls. A process needs at least one such queue.
  polling,
  // The thread never polls.
  for_events,
  // The thread looks for events now and then, and polls for a while after each. It polls all the time while
  // no call of the process lives on a queue that polls.
  now_and_then,
};

// Whether a queue that never polls may have calls. With every poll strategy of libgrpc except epoll, a call
// needs a queue that polls.
bool calls_may_wait_for_events();

// A queue whose thread never polls.
std::unique_ptr<grpc::CompletionQueue> queue_without_polling();

}  // namespace anechoic

struct cgrpc_queue {
 public:
  // `niceness` is the niceness of the thread. 0 keeps the niceness of the process.
  cgrpc_queue(std::unique_ptr<grpc::CompletionQueue> events, std::string thread_name, int niceness,
              anechoic::Waiting waiting);
  ~cgrpc_queue();

  void start();

  // Cancels the timers, waits for the operations in flight, and joins the thread.
  void shut_down();

  // Starts the timer unless the queue has been shut down.
  bool arm(cgrpc_timer *timer, int64_t delay_ns);
  void disarm(cgrpc_timer *timer);

  // Completes the timer when there are no events. Call this on the queue's thread only.
  void add_idle(cgrpc_timer *timer) { idle_.push_back(timer); }

  grpc::CompletionQueue *events() { return events_.get(); }

  // The number of calls that live on this queue. A new call goes to the queue with the fewest.
  int call_count() const { return call_count_.load(std::memory_order_relaxed); }
  void add_call() { count_calls(1); }
  void remove_call() { count_calls(-1); }

 private:
  void serve();
  // Waits for the next event, and runs idle work meanwhile. Returns false once the queue has been
  // shut down.
  bool next(void **tag, bool *ok, anechoic::ReadWatch &watch);
  bool next_now_and_then(void **tag, bool *ok, anechoic::ReadWatch &watch);
  void run_idle();
  void count_calls(int change);

  std::unique_ptr<grpc::CompletionQueue> events_;
  std::atomic<int> call_count_{0};
  std::string thread_name_;
  int niceness_;
  anechoic::Waiting waiting_;
  gpr_timespec polls_until_ = gpr_inf_past(GPR_CLOCK_MONOTONIC);  // With Waiting::now_and_then.
  std::thread thread_;
  std::mutex mutex_;
  bool closed_ = false;
  std::unordered_set<cgrpc_timer *> armed_;
  std::deque<cgrpc_timer *> idle_;  // Belongs to the queue's thread.
  int events_since_idle_ = 0;
};

#endif
