#pragma once

#include <algorithm>
#include <vector>

#include "Crossfade.h"
#include "Exchange.h"

namespace anechoic {

// The work of the thread that pulls: plays the processed voice, or else the fallback, a constant
// time after the microphone.
class Playout {
 public:
  Playout(Format format, bool isSilentWithoutServer, Exchange& exchange)
      : format_(format),
        isSilent_(isSilentWithoutServer),
        exchange_(exchange),
        state_(exchange.mute.state()),
        crossfade_(size_t(format.frameSamples()), format.channels),
        voice_(format.channels),
        fallback_(format.channels),
        mixed_(format.channels) {}

  // Returns the number of sample frames that were pulled: those that were pushed, and `most` at
  // most. Calls `output(frame, channel, sample)` for each sample. Runs per block: no allocation,
  // lock, log or wait.
  template <typename Output>
  int64_t pull(int64_t most, const Output& output) noexcept {
    int64_t position = exchange_.pulled.load(std::memory_order_relaxed);
    const int64_t pushed = exchange_.pushed.load(std::memory_order_acquire);
    if (const int64_t excess = pushed - position - exchange_.wait; excess > 0) {
      exchange_.losses.unpulled.fetch_add(uint64_t(excess), std::memory_order_relaxed);
      position += excess;
    }
    const int64_t count = std::min(most, pushed - position);
    const int64_t delay = exchange_.delay.load(std::memory_order_relaxed);
    recordMute(pushed, position - delay);
    for (int64_t frame = 0; frame < count; ++frame) {
      play(position + frame, delay);
      for (size_t channel = 0; channel < format_.channels; ++channel) {
        output(frame, channel, mixed_[channel]);
      }
    }
    exchange_.pulled.store(position + count, std::memory_order_relaxed);
    if (count > 0) {
      exchange_.isProcessing.store(crossfade_.isProcessed(), std::memory_order_relaxed);
    }
    return count;
  }

 private:
  // Records which part of the microphone was captured while muted. A request may come between two
  // pulls, or while this function runs, so the spans begin and end a little outside.
  void recordMute(int64_t pushed, int64_t played) noexcept {
    const Mute::State before = state_;
    state_ = exchange_.mute.state();
    const int64_t now = exchange_.pushed.load(std::memory_order_acquire);
    const bool isNewRequest = state_.request() != before.request();
    if (before.isMuted() || state_.isMuted() || state_.wasMutedSince(before)) {
      muted_.add(seen_, now);
    }
    // If somebody else has unmuted, the server's output counts from there on. If the program asks
    // for anything, the server may still process what was captured while others had muted.
    if (state_.isAsked()) asked_.add(seen_, now);
    if (isNewRequest) asked_ = muted_;
    seen_ = pushed;
    muted_.removeBefore(played);
    asked_.removeBefore(played);
  }

  void play(int64_t position, int64_t delay) noexcept {
    const int64_t captured = position - delay;
    bool hasVoice = exchange_.voice.has(position);
    // The voice is read first, so that a change is found by everything that follows it.
    if (hasVoice && (state_.isAsked() || asked_.has(captured))) {
      hasVoice = exchange_.mute.counts(state_, captured);
    }
    const bool isSilent = isSilent_ || state_.isMuted() || muted_.has(captured);
    for (size_t channel = 0; channel < format_.channels; ++channel) {
      if (hasVoice) voice_[channel] = exchange_.voice.get(position, channel);
      fallback_[channel] = isSilent ? 0 : exchange_.microphone.get(captured, channel);
    }
    crossfade_.next(hasVoice ? voice_.data() : nullptr, fallback_.data(), mixed_.data());
  }

  const Format format_;
  const bool isSilent_;
  Exchange& exchange_;
  Mute::State state_;  // at the last pull
  int64_t seen_ = 0;   // the position that was pushed then
  // The parts of the microphone that were captured while the session was muted, and those of them
  // of which the server's output counts only where the server has confirmed that it is muted: those
  // between a request of the program to mute and the next one to unmute, and all before a request.
  Spans muted_, asked_;
  Crossfade crossfade_;
  std::vector<float> voice_, fallback_, mixed_;
};

}  // namespace anechoic
