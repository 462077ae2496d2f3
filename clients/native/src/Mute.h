#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

namespace anechoic {

// The mute state of the program and of its sessions.
//
// A request of the program counts at once. Until the server has confirmed it, changes by others do
// not count, and a muted output is silent. From the position on at which the server has muted, the
// output is the server's, which may contain injected speech. No function waits, locks or allocates.
class Mute {
 public:
  explicit Mute(bool muted) : state_(muted) {}

  bool isMuted() const noexcept { return state_.load(std::memory_order_relaxed) & 1; }

  // Any thread.
  void request(bool muted) noexcept {
    uint64_t old = state_.load(std::memory_order_relaxed);
    while (!state_.compare_exchange_weak(old, ((old >> 1) + 1) << 1 | uint64_t(muted))) {
    }
  }

  // The thread that pulls: whether the output at a position is silent, processed or not.
  bool silences(int64_t position) const noexcept {
    const uint64_t state = state_.load(std::memory_order_relaxed);
    if (!(state & 1)) return false;
    if (confirmed_.load(std::memory_order_acquire) != state >> 1) return true;
    return position < from_.load(std::memory_order_relaxed);
  }

  struct Request {
    uint64_t number;
    bool isMuted;
  };
  // The worker: the latest request, and whether the server has confirmed it.
  Request latest() const noexcept {
    const uint64_t state = state_.load();
    return {state >> 1, (state & 1) != 0};
  }
  bool isConfirmed() const noexcept {
    return confirmed_.load(std::memory_order_relaxed) == latest().number;
  }
  // The worker: the server has applied a request, at a position of the output.
  void confirm(uint64_t number, int64_t position) noexcept {
    from_.store(position, std::memory_order_relaxed);
    confirmed_.store(number, std::memory_order_release);
  }
  // The worker: somebody has changed the state of the session.
  void changed(bool muted) noexcept {
    uint64_t old = state_.load();
    while (old >> 1 == confirmed_.load(std::memory_order_relaxed)) {
      if (state_.compare_exchange_weak(old, (old & ~uint64_t(1)) | uint64_t(muted))) return;
    }
  }

 private:
  std::atomic<uint64_t> state_;  // the number of the request, then the state in the lowest bit
  std::atomic<uint64_t> confirmed_{
      0};  // the number of the request that the server has applied last
  std::atomic<int64_t> from_{std::numeric_limits<int64_t>::min()};
};

}  // namespace anechoic
