#include "TimerThread.h"

#include <pthread.h>

#include <algorithm>
#include <thread>

namespace {

// The longest time that is waited for. It keeps the sum of the present and a delay within its type.
constexpr int64_t longest_delay_ns = int64_t{100} * 365 * 24 * 3600 * 1'000'000'000;

}  // namespace

namespace anechoic {

TimerThread &TimerThread::shared() {
  // Never destroyed, because its thread runs until the process ends.
  static auto *thread = new TimerThread;
  return *thread;
}

TimerThread::TimerThread() {
  std::thread([this] { run(); }).detach();
}

void TimerThread::add(Expiring *timer, int64_t delay_ns) {
  const auto delay = std::chrono::nanoseconds(std::min(delay_ns, longest_delay_ns));
  // Timers of one millisecond expire together, so that the thread wakes at most once in each.
  const Instant due =
      std::chrono::ceil<std::chrono::milliseconds>(std::chrono::steady_clock::now() + delay);
  bool is_first;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto place = timers_.emplace(due, timer);
    places_[timer] = place;
    is_first = place == timers_.begin();
  }
  if (is_first) changed_.notify_one();
}

void TimerThread::remove(Expiring *timer) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto place = places_.find(timer);
  if (place == places_.end()) return;
  timers_.erase(place->second);
  places_.erase(place);
}

void TimerThread::run() {
  pthread_setname_np(pthread_self(), "timers");
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    const auto first = timers_.begin();
    if (first == timers_.end()) {
      changed_.wait(lock);
    } else if (const Instant due = first->first; due > std::chrono::steady_clock::now()) {
      changed_.wait_until(lock, due);
    } else {
      first->second->expire();
      places_.erase(first->second);
      timers_.erase(first);
    }
  }
}

}  // namespace anechoic
