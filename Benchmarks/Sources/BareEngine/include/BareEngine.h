#ifndef BARE_ENGINE_BARE_ENGINE_H
#define BARE_ENGINE_BARE_ENGINE_H

#include <cstddef>
#include <memory>
#include <vector>

#include "Call.h"

namespace webrtc {
class AudioProcessing;
}

// The audio of a call in the form that the library requires.
struct EngineAudio {
  explicit EngineAudio(const bench::Call &call);

  int rate_hz;
  size_t frame_samples;
  std::vector<float> microphone;
  std::vector<float> reference;
};

// libwebrtc-audio-processing without the service: one instance with all stages of the STANDARD
// mode. It processes the frames of a call again and again.
class BareEngine {
 public:
  // Starts with the frame `first_frame`, modulo the number of frames. `audio` must outlive the
  // engine.
  BareEngine(const EngineAudio &audio, size_t first_frame);
  ~BareEngine();

  // Processes the next 10 ms. An error of the library ends the process with status 1.
  void process_next();

 private:
  const EngineAudio &audio_;
  size_t position_;  // The next sample.
  std::vector<float> output_;
  std::unique_ptr<webrtc::AudioProcessing> library_;
};

#endif
