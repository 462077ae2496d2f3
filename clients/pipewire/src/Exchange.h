#pragma once

#include <atomic>
#include <vector>

#include "Format.h"
#include "Ring.h"
#include "Wakeup.h"

namespace anechoic {

// Positions count sample frames since the plug-in's first block. All samples are interleaved.

// 10 ms of audio on its way to the server.
struct InputFrame {
  int64_t position;
  std::vector<float> microphone;
  std::vector<float> reference;
};

// 10 ms of the processed voice, and the position at which it is to be heard.
struct OutputFrame {
  int64_t position;
  std::vector<float> samples;
};

// Everything that the audio thread and the worker share.
struct Exchange {
  explicit Exchange(Format format)
      : input(capacityFrames, {0, block(format), block(format)}),
        output(capacityFrames, {0, block(format)}) {}

  Ring<InputFrame> input;
  Ring<OutputFrame> output;
  // The delay from the microphone to the output in sample frames. Set before the first input frame.
  std::atomic<int64_t> delay{0};
  // Whether somebody has muted the session. A muted microphone is silent without a server, too.
  std::atomic<bool> muted{false};
  // Wakes the worker.
  Wakeup wakeup;

 private:
  static constexpr size_t capacityFrames = 100;  // 1 s
  static std::vector<float> block(Format format) {
    return std::vector<float>(format.frameSamples() * format.channels);
  }
};

}  // namespace anechoic
