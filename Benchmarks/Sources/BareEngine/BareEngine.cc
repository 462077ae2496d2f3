#include "BareEngine.h"

#include <webrtc/common.h>
#include <webrtc/modules/audio_processing/include/audio_processing.h>

#include <cstdio>
#include <cstdlib>

namespace {

using webrtc::AudioProcessing;

std::vector<float> floats(const std::vector<int16_t> &samples) {
  std::vector<float> result(samples.begin(), samples.end());
  for (float &sample : result) sample /= 32768;
  return result;
}

void check(int error) {
  if (error == AudioProcessing::kNoError) return;
  std::fprintf(stderr, "error: libwebrtc-audio-processing says %d\n", error);
  std::exit(1);
}

std::unique_ptr<AudioProcessing> make_library(const webrtc::StreamConfig &mono) {
  webrtc::Config config;
  config.Set<webrtc::ExtendedFilter>(new webrtc::ExtendedFilter(false));
  config.Set<webrtc::DelayAgnostic>(new webrtc::DelayAgnostic(false));
  config.Set<webrtc::ExperimentalAgc>(new webrtc::ExperimentalAgc(false));
  std::unique_ptr<AudioProcessing> library(AudioProcessing::Create(config));
  check(library->Initialize(webrtc::ProcessingConfig{{mono, mono, mono, mono}}));
  check(library->high_pass_filter()->Enable(true));
  webrtc::EchoCancellation *echo = library->echo_cancellation();
  check(echo->set_suppression_level(webrtc::EchoCancellation::kModerateSuppression));
  check(echo->enable_metrics(true));
  check(echo->Enable(true));
  check(library->noise_suppression()->set_level(webrtc::NoiseSuppression::kModerate));
  check(library->noise_suppression()->Enable(true));
  webrtc::GainControl *gain = library->gain_control();
  check(gain->set_mode(webrtc::GainControl::kAdaptiveDigital));
  check(gain->set_target_level_dbfs(3));
  check(gain->enable_limiter(true));
  check(gain->Enable(true));
  check(library->voice_detection()->Enable(true));
  return library;
}

}  // namespace

EngineAudio::EngineAudio(const bench::Call &call)
    : rate_hz(call.rate_hz),
      frame_samples(call.frame_samples()),
      microphone(floats(call.microphone)),
      reference(floats(call.reference)) {}

BareEngine::BareEngine(const EngineAudio &audio, size_t first_frame)
    : audio_(audio),
      position_(first_frame * audio.frame_samples % audio.microphone.size()),
      output_(audio.frame_samples),
      library_(make_library(webrtc::StreamConfig(audio.rate_hz, 1))) {}

BareEngine::~BareEngine() = default;

void BareEngine::process_next() {
  const webrtc::StreamConfig mono(audio_.rate_hz, 1);
  const float *microphone = &audio_.microphone[position_];
  const float *reference = &audio_.reference[position_];
  float *output = output_.data();
  check(library_->AnalyzeReverseStream(&reference, audio_.frame_samples, audio_.rate_hz,
                                       AudioProcessing::kMono));
  check(library_->set_stream_delay_ms(0));  // The library requires this before every frame.
  check(library_->ProcessStream(&microphone, mono, mono, &output));
  position_ = (position_ + audio_.frame_samples) % audio_.microphone.size();
}
