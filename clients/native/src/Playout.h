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
    if (exchange_.mute.isMuted()) mutedUntil_ = pushed;
    const int64_t count = std::min(most, pushed - position);
    const int64_t delay = exchange_.delay.load(std::memory_order_relaxed);
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
  void play(int64_t position, int64_t delay) noexcept {
    const bool isSilenced = exchange_.mute.silences(position);
    const bool hasVoice = !isSilenced && exchange_.voice.has(position);
    const bool isSilent = isSilent_ || isSilenced || exchange_.mute.isMuted() ||
                          position - delay < mutedUntil_;
    for (size_t channel = 0; channel < format_.channels; ++channel) {
      if (hasVoice) voice_[channel] = exchange_.voice.get(position, channel);
      fallback_[channel] = isSilent ? 0 : exchange_.microphone.get(position - delay, channel);
    }
    crossfade_.next(hasVoice ? voice_.data() : nullptr, fallback_.data(), mixed_.data());
  }

  const Format format_;
  const bool isSilent_;
  Exchange& exchange_;
  // The microphone up to here was captured while muted, and is not heard later.
  int64_t mutedUntil_ = 0;
  Crossfade crossfade_;
  std::vector<float> voice_, fallback_, mixed_;
};

}  // namespace anechoic
