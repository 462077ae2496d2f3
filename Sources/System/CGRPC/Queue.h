#ifndef ANECHOIC_CGRPC_QUEUE_H
#define ANECHOIC_CGRPC_QUEUE_H

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

}  // namespace anechoic

struct cgrpc_queue {
 public:
  // `niceness` is the niceness of the thread. 0 keeps the niceness of the process.
  cgrpc_queue(std::unique_ptr<grpc::CompletionQueue> events, std::string thread_name,
              int niceness = 0);
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
  std::atomic<int> call_count{0};

 private:
  void serve();
  // Waits for the next event, and runs idle work meanwhile. Returns false once the queue has been
  // shut down.
  bool next(void **tag, bool *ok, anechoic::ReadWatch &watch);
  void run_idle();

  std::unique_ptr<grpc::CompletionQueue> events_;
  std::string thread_name_;
  int niceness_;
  std::thread thread_;
  std::mutex mutex_;
  bool closed_ = false;
  std::unordered_set<cgrpc_timer *> armed_;
  std::deque<cgrpc_timer *> idle_;  // Belongs to the queue's thread.
  int events_since_idle_ = 0;
};

#endif
