#pragma once

#include <algorithm>
#include <vector>

#include "Crossfade.h"
#include "Exchange.h"

namespace anechoic {

// The work of the thread that pulls the playback: the server's mix, or else the sum of the far
// ends and other audio within full scale, a constant time after the microphone.
class Listening {
 public:
  Listening(Format format, Exchange& exchange)
      : format_(format),
        exchange_(exchange),
        crossfade_(size_t(format.frameSamples()), format.playbackChannels),
        mix_(format.playbackChannels),
        fallback_(format.playbackChannels),
        played_(format.playbackChannels) {}

  // Returns the number of sample frames that were pulled: those for which the microphone was
  // pushed, and `most` at most. Calls `output(frame, channel, sample)` for each sample. Runs per
  // block: no allocation, lock, log or wait.
  template <typename Output>
  int64_t pull(int64_t most, const Output& output) noexcept {
    if (format_.playbackChannels == 0) return 0;
    const int64_t pushed = exchange_.pushed.load(std::memory_order_acquire);
    const int64_t position = std::max(exchange_.listened.load(std::memory_order_relaxed),
                                      pushed - exchange_.wait);
    const int64_t count = std::min(most, pushed - position);
    const int64_t delay = exchange_.delay.load(std::memory_order_relaxed);
    for (int64_t frame = 0; frame < count; ++frame) {
      play(position + frame, delay);
      for (size_t channel = 0; channel < format_.playbackChannels; ++channel) {
        output(frame, channel, played_[channel]);
      }
    }
    exchange_.listened.store(position + count, std::memory_order_relaxed);
    return count;
  }

 private:
  void play(int64_t position, int64_t delay) noexcept {
    const bool hasMix = exchange_.playback.has(position);
    const float sum = exchange_.farEnds.sum(position - delay);
    for (size_t channel = 0; channel < format_.playbackChannels; ++channel) {
      if (hasMix) mix_[channel] = exchange_.playback.get(position, channel);
      fallback_[channel] = std::clamp(sum + otherAudio(position - delay, channel), -1.0f, 1.0f);
    }
    crossfade_.next(hasMix ? mix_.data() : nullptr, fallback_.data(), played_.data());
  }

  // Returns the sample of other audio for a channel of the playback: its own, the only one, or the
  // mean of both.
  float otherAudio(int64_t position, size_t channel) const noexcept {
    const FarEnds& audio = exchange_.otherAudio;
    if (audio.count() == format_.playbackChannels) return audio.get(channel, position);
    return audio.count() == 0 ? 0 : audio.sum(position) / float(audio.count());
  }

  const Format format_;
  Exchange& exchange_;
  Crossfade crossfade_;
  std::vector<float> mix_, fallback_, played_;
};

}  // namespace anechoic
