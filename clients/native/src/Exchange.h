#pragma once

#include <atomic>
#include <cstdint>

#include "FarEnds.h"
#include "Format.h"
#include "Mute.h"
#include "Tape.h"
#include "Wakeup.h"

namespace anechoic {

// Losses, in sample frames of the microphone or the output.
struct Losses {
  std::atomic<uint64_t> unsent{0};       // was sent to no session
  std::atomic<uint64_t> late{0};         // was processed, but came after its time
  std::atomic<uint64_t> unpulled{0};     // nobody pulled
  std::atomic<uint64_t> overlapping{0};  // belonged to a call that overlapped another one
  std::atomic<uint64_t> misplaced{0};    // came from the server, and belongs to nothing sent
};

// Everything that the audio threads and the worker share. Positions count the sample frames that
// were pushed. The output at a position is the microphone of `delay` before.
struct Exchange {
  // The audio that waits for the worker, or to be pulled, at most.
  static constexpr int64_t waitMilliseconds = 2000;
  // The longest time by which a delay may grow before the first sample.
  static constexpr int64_t growthMilliseconds = 1000;

  Exchange(Format format, int64_t delayMilliseconds, bool muted, uint32_t farEndCount = 0,
           uint32_t otherAudioChannels = 0)
      : wait(format.samples(waitMilliseconds)),
        delay(format.samples(delayMilliseconds)),
        longestDelay(delay + format.samples(growthMilliseconds)),
        microphone(capacity(format), format.channels),
        reference(capacity(format), format.referenceChannels),
        voice(capacity(format), format.channels),
        playback(format.playbackChannels > 0 ? capacity(format) : 1, format.playbackChannels),
        // A far end may be ahead of the microphone by `wait`.
        farEnds(farEndCount, capacity(format) + wait),
        otherAudio(otherAudioChannels, capacity(format) + wait),
        mute(muted) {}

  const int64_t wait;
  std::atomic<int64_t> delay;  // changes only before the first sample
  const int64_t longestDelay;

  Tape microphone;
  Tape reference;
  SparseTape voice;
  SparseTape playback;
  FarEnds farEnds;
  FarEnds otherAudio;  // its channels

  // The positions after the last sample frame that was pushed, and pulled of the voice and of the
  // playback.
  alignas(64) std::atomic<int64_t> pushed{0};
  alignas(64) std::atomic<int64_t> pulled{0};
  alignas(64) std::atomic<int64_t> listened{0};
  std::atomic<bool> isProcessing{false};
  Mute mute;
  Losses losses;
  // Wakes the worker.
  Wakeup wakeup;

 private:
  // A second more than what is read, for a reader that is interrupted while it reads.
  int64_t capacity(Format format) const { return longestDelay + wait + format.rate; }
};

}  // namespace anechoic
