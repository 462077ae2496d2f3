#pragma once

#include <cstdint>
#include <vector>

#include "Crossfade.h"
#include "DelayLine.h"
#include "Exchange.h"
#include "Format.h"
#include "Options.h"

namespace anechoic {

// The work of the audio thread on each block: passes microphone and reference to the worker, and
// plays the processed voice, or else the fallback, a constant time later.
class AudioPath {
 public:
  AudioPath(Format format, const Options& options, Exchange& exchange);

  // Processes a block of any length. `output` may be the same memory as the inputs.
  // Runs per block: no allocation, lock, log or wait.
  void run(const float* const microphone[], const float* const reference[], float* const output[],
           uint32_t count) noexcept;

 private:
  void fixDelay(uint32_t blockSamples) noexcept;
  void feed(const float* const microphone[], const float* const reference[], size_t first,
            size_t count) noexcept;
  void play(float* const output[], size_t first, size_t count) noexcept;
  const float* processed(int64_t position) noexcept;

  const Format format_;
  const bool silent_;
  const int64_t shortestDelay_;
  const int64_t longestDelay_;
  Exchange& exchange_;
  DelayLine recent_;
  Crossfade crossfade_;
  const std::vector<float> silence_;
  std::vector<float> mixed_;
  InputFrame* frame_ = nullptr;  // the frame being filled; nullptr if the worker is 1 s behind
  int64_t delay_ = 0;
  int64_t position_ = 0;
};

}  // namespace anechoic
