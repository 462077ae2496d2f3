#include "Queue.h"

#include <grpc/grpc.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "ReadWatch.h"
#include "TimerThread.h"

namespace {

// The number of events after which idle work runs even if there are more events.
constexpr int most_events_before_idle = 64;

// A queue that looks for events now and then does so this often, and polls for this long after an event.
constexpr std::chrono::milliseconds look_every{20};
constexpr int64_t polls_for_ms = 200;
// The time after which it notices that calls have begun elsewhere.
constexpr int64_t notices_after_ms = 500;

// The calls of all queues that poll. In their absence, one more thread that polls costs nothing.
std::atomic<int> calls_that_poll{0};

gpr_timespec after_ms(int64_t ms) {
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_millis(ms, GPR_TIMESPAN));
}

}  // namespace

namespace anechoic {

// libgrpc does not tell which strategy it has chosen. Linux always has epoll, the first choice.
bool calls_may_wait_for_events() {
  const char *strategy = std::getenv("GRPC_POLL_STRATEGY");
  const std::string_view name = strategy ? strategy : "";
  return name.empty() || name == "all" || name == "epoll1";
}

std::unique_ptr<grpc::CompletionQueue> queue_without_polling() {
  grpc_init();  // For the rest of the process. The queue does not do it.
  const grpc_completion_queue_attributes attributes{GRPC_CQ_CURRENT_VERSION, GRPC_CQ_NEXT,
                                                    GRPC_CQ_NON_POLLING, nullptr};
  return std::make_unique<grpc::CompletionQueue>(grpc_completion_queue_create(
      grpc_completion_queue_factory_lookup(&attributes), &attributes, nullptr));
}

}  // namespace anechoic

// A timer has two owners: the caller until release, and the queue until the callback.
struct cgrpc_timer final : public anechoic::Tag, public anechoic::Expiring {
 public:
  cgrpc_timer(cgrpc_queue *queue, cgrpc_timer_callback callback, void *context)
      : queue_(queue), callback_(callback), context_(context) {}

  void complete(bool ok) override {
    queue_->disarm(this);
    callback_(context_, (ok || is_due_) && !cancelled_);
    release();
  }

  // Completes the timer, whose time has come, on its queue.
  void expire() override {
    is_due_ = true;
    alarm.Cancel();
  }

  void cancel() {
    cancelled_ = true;
    alarm.Cancel();
  }

  void release() {
    if (owners_.fetch_sub(1) == 1) delete this;
  }

  void retain() { owners_.fetch_add(1); }

  grpc::Alarm alarm;

 private:
  cgrpc_queue *queue_;
  cgrpc_timer_callback callback_;
  void *context_;
  std::atomic<int> owners_{2};
  std::atomic<bool> is_due_{false};
  std::atomic<bool> cancelled_{false};
};

cgrpc_queue::cgrpc_queue(std::unique_ptr<grpc::CompletionQueue> events, std::string thread_name,
                         int niceness, anechoic::Waiting waiting)
    : events_(std::move(events)),
      thread_name_(std::move(thread_name)),
      niceness_(niceness),
      waiting_(waiting) {}

cgrpc_queue::~cgrpc_queue() { shut_down(); }

void cgrpc_queue::start() {
  thread_ = std::thread([this] { serve(); });
}

void cgrpc_queue::serve() {
  pthread_setname_np(pthread_self(), thread_name_.c_str());
  // On Linux each thread has its own niceness. The queue serves with the old one if this is
  // refused.
  if (niceness_ != 0) (void)setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), niceness_);
  anechoic::ReadWatch watch;
  void *tag = nullptr;
  bool ok = false;
  while (next(&tag, &ok, watch)) {
    static_cast<anechoic::Tag *>(tag)->complete(ok);
  }
  for (; !idle_.empty(); idle_.pop_front()) idle_.front()->complete(false);
}

bool cgrpc_queue::next(void **tag, bool *ok, anechoic::ReadWatch &watch) {
  while (!idle_.empty()) {
    if (events_since_idle_ < most_events_before_idle) {
      anechoic::ReadWatch::Wait wait(watch);
      switch (events_->AsyncNext(tag, ok, gpr_inf_past(GPR_CLOCK_MONOTONIC))) {
        case grpc::CompletionQueue::SHUTDOWN: return false;
        case grpc::CompletionQueue::GOT_EVENT: ++events_since_idle_; return true;
        case grpc::CompletionQueue::TIMEOUT: break;
      }
    }
    run_idle();
  }
  if (waiting_ == anechoic::Waiting::now_and_then) return next_now_and_then(tag, ok, watch);
  anechoic::ReadWatch::Wait wait(watch);
  return events_->Next(tag, ok);
}

bool cgrpc_queue::next_now_and_then(void **tag, bool *ok, anechoic::ReadWatch &watch) {
  while (true) {
    {
      anechoic::ReadWatch::Wait wait(watch);
      const bool is_alone = calls_that_poll.load(std::memory_order_relaxed) == 0;
      switch (events_->AsyncNext(tag, ok, is_alone ? after_ms(notices_after_ms) : polls_until_)) {
        case grpc::CompletionQueue::SHUTDOWN: return false;
        case grpc::CompletionQueue::GOT_EVENT: polls_until_ = after_ms(polls_for_ms); return true;
        case grpc::CompletionQueue::TIMEOUT: break;
      }
      if (is_alone) continue;
    }
    std::this_thread::sleep_for(look_every);
  }
}

void cgrpc_queue::count_calls(int change) {
  call_count_.fetch_add(change, std::memory_order_relaxed);
  if (waiting_ == anechoic::Waiting::polling) {
    calls_that_poll.fetch_add(change, std::memory_order_relaxed);
  }
}

void cgrpc_queue::run_idle() {
  cgrpc_timer *timer = idle_.front();
  idle_.pop_front();
  events_since_idle_ = 0;
  timer->complete(true);
}

void cgrpc_queue::shut_down() {
  std::vector<cgrpc_timer *> pending;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (closed_) return;
    closed_ = true;
    for (cgrpc_timer *timer : armed_) {
      timer->retain();
      pending.push_back(timer);
    }
    events_->Shutdown();
  }
  for (cgrpc_timer *timer : pending) {
    timer->cancel();
    timer->release();
  }
  if (thread_.joinable()) thread_.join();
}

bool cgrpc_queue::arm(cgrpc_timer *timer, int64_t delay_ns) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (closed_) return false;
  armed_.insert(timer);
  // The timers of libgrpc wait by the wall clock: when it is set back, they are late by as much. An alarm
  // that is never due is therefore cancelled when the time has come.
  const bool is_now = delay_ns <= 0;
  timer->alarm.Set(
      events_.get(),
      is_now ? gpr_inf_past(GPR_CLOCK_MONOTONIC) : gpr_inf_future(GPR_CLOCK_MONOTONIC),
      static_cast<anechoic::Tag *>(timer));
  if (!is_now) anechoic::TimerThread::shared().add(timer, delay_ns);
  return true;
}

void cgrpc_queue::disarm(cgrpc_timer *timer) {
  anechoic::TimerThread::shared().remove(timer);
  std::lock_guard<std::mutex> lock(mutex_);
  armed_.erase(timer);
}

extern "C" {

cgrpc_queue *cgrpc_queue_create(const char *thread_name, int32_t niceness, bool polls) {
  auto *queue = new cgrpc_queue(
      polls ? std::make_unique<grpc::CompletionQueue>() : anechoic::queue_without_polling(),
      thread_name, niceness, polls ? anechoic::Waiting::polling : anechoic::Waiting::for_events);
  queue->start();
  return queue;
}

cgrpc_timer *cgrpc_timer_start(cgrpc_queue *queue, int64_t delay_ns, cgrpc_timer_callback callback,
                               void *context) {
  auto *timer = new cgrpc_timer(queue, callback, context);
  if (!queue->arm(timer, delay_ns)) {
    delete timer;
    return nullptr;
  }
  return timer;
}

cgrpc_timer *cgrpc_queue_when_idle(cgrpc_queue *queue, cgrpc_timer_callback callback,
                                   void *context) {
  auto *timer = new cgrpc_timer(queue, callback, context);
  queue->add_idle(timer);
  return timer;
}

void cgrpc_timer_cancel(cgrpc_timer *timer) { timer->cancel(); }

void cgrpc_timer_release(cgrpc_timer *timer) { timer->release(); }

}  // extern "C"
