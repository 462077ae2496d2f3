#pragma once

#include <atomic>
#include <cstdint>

#include "Spans.h"

namespace anechoic {

// The mute state of the program and of its sessions. Positions are those of the microphone.
//
// A request of the program counts at once. Until the server has confirmed it, changes by others do
// not count, and a muted output is silent. From the position on at which the server has muted, the
// output is the server's, which may contain injected speech. No function waits, locks or allocates.
class Mute {
 public:
  explicit Mute(bool muted) : state_(muted ? muteBit | askedBit : 0) {}

  // The state at one time.
  class State {
   public:
    explicit State(uint64_t bits) : bits_(bits) {}
    bool isMuted() const noexcept { return bits_ & muteBit; }
    // Whether the program has muted, and nobody has unmuted since.
    bool isAsked() const noexcept { return bits_ & askedBit; }
    // The number of the latest request.
    uint64_t request() const noexcept { return bits_ >> requestShift; }
    // Whether the program has asked to mute since an earlier state.
    bool wasMutedSince(const State& before) const noexcept {
      return (bits_ ^ before.bits_) >> mutesShift != 0;
    }

   private:
    uint64_t bits_;
  };

  bool isMuted() const noexcept { return state().isMuted(); }
  State state() const noexcept { return State(state_.load()); }

  // Any thread. `pushed` is the position of the microphone now.
  void request(bool muted, int64_t pushed = 0) noexcept {
    // A repeated request to unmute waits only for the audio that the first one, which still waits,
    // waits for.
    if (muted || isMuted() || isConfirmed()) requestedAt_.store(pushed);
    uint64_t old = state_.load(), next;
    do {
      next = (old & ~(muteBit | askedBit)) + oneRequest;
      if (muted) next += oneMute + (muteBit | askedBit);
    } while (!state_.compare_exchange_weak(old, next));
  }

  // The thread that pulls: whether the server's output counts at a position of a muted microphone.
  bool counts(const State& state, int64_t position) const noexcept {
    const bool isUnderWay =
        state.isAsked() && confirmed_.load(std::memory_order_acquire) != state.request();
    return !isUnderWay && server_.has(position);
  }

  struct Request {
    uint64_t number = 0;
    bool isMuted = false;
    int64_t position = 0;  // of the microphone at the first of equal requests that wait
  };
  // The worker: the latest request.
  Request latest() const noexcept {
    const State latest = state();
    return {latest.request(), latest.isMuted(), requestedAt_.load()};
  }
  // Any thread: whether the server has confirmed the latest request.
  bool isConfirmed() const noexcept {
    return confirmed_.load(std::memory_order_relaxed) == state().request();
  }
  // The worker: a request goes to the server. `received` is the position up to which output has
  // come: the server may unmute after it, so later output counts only once the server has answered.
  void sending(const Request& request, int64_t received) noexcept {
    if (request.isMuted) return;
    mayExtend_ = server_.isOpen();
    server_.close(received);
  }
  // The worker: the connection was lost, and answers with it.
  void lost() noexcept { mayExtend_ = false; }
  // The worker: the server has applied a request, at a position, or at an unknown one, -1.
  void confirm(const Request& request, int64_t position) noexcept {
    if (request.isMuted) {
      server_.open(position);
    } else {
      unmuted(position);
    }
    confirmed_.store(request.number, std::memory_order_release);
  }
  // The worker: a session has begun with the state of a request, at a position.
  void began(const Request& request, int64_t position) noexcept {
    mayExtend_ = false;
    server_.close(position);
    if (request.isMuted) server_.open(position);
    confirmed_.store(request.number, std::memory_order_release);
  }
  // The worker: somebody has changed the state of the session. The server certainly has muted from
  // the position on, or has unmuted at it, or at an unknown one, -1. `pushed` is the position of the
  // microphone now.
  void changed(bool muted, int64_t position, int64_t pushed) noexcept {
    bool counts = false;
    uint64_t old = state_.load();
    while (!counts && old >> requestShift == confirmed_.load(std::memory_order_relaxed)) {
      const uint64_t next = muted ? old | muteBit : old & ~(muteBit | askedBit);
      counts = state_.compare_exchange_weak(old, next);
    }
    if (!muted) {
      // If the change counts, the server's output of everything that was captured until now counts.
      unmuted(counts ? pushed : position);
    } else if (counts) {
      // The program may unmute before the server has got everything that was captured until then.
      server_.open(position);
    }
  }

 private:
  void unmuted(int64_t position) noexcept {
    if (mayExtend_) server_.extend(position);
    mayExtend_ = false;
    server_.close(position);
  }

  // The state, from the lowest bit on: whether the output is muted, whether the program has asked
  // for this, the number of all requests, and the number of those to mute.
  static constexpr uint64_t muteBit = 1, askedBit = 2;
  static constexpr int requestShift = 2, mutesShift = 34;
  static constexpr uint64_t oneRequest = 1ull << requestShift, oneMute = 1ull << mutesShift;

  std::atomic<uint64_t> state_;
  std::atomic<int64_t> requestedAt_{0};
  std::atomic<uint64_t> confirmed_{0};  // the request that the server has applied last
  SharedSpans server_;  // where the server has confirmed that the session is muted
  // The worker's: a request to unmute has closed the newest span, and the server has not said yet
  // at which position it unmutes. A request that is sent again may have been applied before.
  bool mayExtend_ = false;
};

}  // namespace anechoic
