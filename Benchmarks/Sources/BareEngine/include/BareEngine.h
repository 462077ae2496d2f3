#ifndef BARE_ENGINE_BARE_ENGINE_H
#define BARE_ENGINE_BARE_ENGINE_H

#include <cstddef>
#include <memory>
#include <vector>

#include "Call.h"

namespace webrtc {
class AudioProcessing;
}

// A call in the form that the library takes.
struct EngineAudio {
  explicit EngineAudio(const bench::Call &call);

  int rate_hz;
  size_t frame_samples;
  std::vector<float> microphone;
  std::vector<float> reference;
};

// libwebrtc-audio-processing with nothing around it: all stages of the service's STANDARD mode in
// a single instance, on the frames of a call, round and round.
class BareEngine {
 public:
  // `audio` must outlive it. Starts with frame number `first_frame`, taken modulo their number.
  BareEngine(const EngineAudio &audio, size_t first_frame);
  ~BareEngine();

  // Processes the next 10 ms. An error of the library ends the process with status 1.
  void process_next();

 private:
  const EngineAudio &audio_;
  size_t position_;  // the next sample
  std::vector<float> output_;
  std::unique_ptr<webrtc::AudioProcessing> library_;
};

#endif
