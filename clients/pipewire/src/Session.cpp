#include "Session.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace anechoic {

static_assert(std::endian::native == std::endian::little, "samples travel as little-endian floats");

namespace {

// Sets what the options decide. The mic mode decides the rest.
void configure(const Options& options, v1::SessionConfig& config) {
  constexpr auto off = v1::VoiceProcessing::LEVEL_UNSPECIFIED;
  config.set_preferred_mic_mode(options.micMode);
  v1::VoiceProcessing& processing = *config.mutable_voice_processing();
  processing.mutable_gain_control()->set_enabled(options.gainControl);
  if (const auto level = options.echoSuppression) {
    processing.mutable_echo_cancellation()->set_enabled(*level != off);
    processing.mutable_echo_cancellation()->set_suppression(*level);
  }
  if (const auto level = options.noiseSuppression) {
    processing.mutable_noise_suppression()->set_enabled(*level != off);
    processing.mutable_noise_suppression()->set_level(*level);
  }
}

void write(const std::vector<float>& samples, int64_t first, v1::AudioChunk& chunk) {
  chunk.set_samples(samples.data(), samples.size() * sizeof(float));
  chunk.set_first_sample(first);
}

}  // namespace

v1::ProcessRequest Session::start(int64_t position, bool muted) {
  v1::ProcessRequest request;
  v1::Start& start = *request.mutable_start();
  v1::AudioFormat& microphone = *start.mutable_inputs()->mutable_microphone();
  microphone.set_encoding(v1::AUDIO_ENCODING_PCM_F32LE);
  microphone.set_sample_rate_hz(format_.rate);
  microphone.set_channel_count(format_.channels);
  *start.mutable_inputs()->mutable_reference() = microphone;
  *start.mutable_outputs()->mutable_processed() = microphone;
  configure(options_, *start.mutable_config());
  start.set_engine(options_.engine);
  start.set_muted(muted);
  (*start.mutable_labels())["client"] = "pipewire";
  firstSent_.reset();
  if (continues() && origin_) {
    resumedAt_ = position - *origin_;
    start.set_resume_token(resumeToken_);
    start.mutable_resume_point()->set_microphone_sample(resumedAt_);
  } else {
    origin_.reset();
  }
  return request;
}

void Session::started(const v1::Started& started) {
  const auto& delay = started.algorithmic_delay();
  const double seconds = static_cast<double>(delay.seconds()) + delay.nanos() * 1e-9;
  algorithmicDelay_ = std::llround(seconds * format_.rate);
  engine_ = started.engine().name();
  resumeToken_ = started.resume_token();
  if (started.has_resumed() && origin_) {
    *origin_ += resumedAt_ - started.resumed().microphone_sample();
  } else {
    origin_.reset();
  }
}

v1::ProcessRequest Session::audio(const InputFrame& frame) {
  if (!origin_) origin_ = frame.position;
  const int64_t first = frame.position - *origin_;
  if (!firstSent_) firstSent_ = first;
  v1::ProcessRequest request;
  write(frame.microphone, first, *request.mutable_audio()->mutable_microphone());
  write(frame.reference, first, *request.mutable_audio()->mutable_reference());
  return request;
}

bool Session::place(const v1::AudioChunk& chunk, int64_t delay, OutputFrame& frame) const {
  const int64_t captured = chunk.first_sample() - algorithmicDelay_;
  if (!firstSent_ || captured < *firstSent_) return false;
  if (chunk.samples().size() != frame.samples.size() * sizeof(float)) return false;
  frame.position = *origin_ + captured + delay;
  std::memcpy(frame.samples.data(), chunk.samples().data(), chunk.samples().size());
  return true;
}

}  // namespace anechoic
