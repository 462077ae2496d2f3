#include <webrtc/common.h>
#include <webrtc/modules/audio_processing/include/audio_processing.h>

#include <memory>

#include "CWebRTCAudioProcessing.h"
#include "FunctionTableGate.h"

struct cwap_processor {
  std::unique_ptr<webrtc::AudioProcessing> library;
  webrtc::StreamConfig capture;
  webrtc::StreamConfig reference;
  int delay_ms;
};

namespace {

using webrtc::EchoCancellation;
using webrtc::GainControl;
using webrtc::NoiseSuppression;

// The library's value for "not known".
constexpr int kUnknownDecibels = -100;

EchoCancellation::SuppressionLevel suppression(cwap_level level) {
  switch (level) {
    case CWAP_LOW: return EchoCancellation::kLowSuppression;
    case CWAP_MODERATE: return EchoCancellation::kModerateSuppression;
    default: return EchoCancellation::kHighSuppression;
  }
}

NoiseSuppression::Level noise_level(cwap_level level) {
  switch (level) {
    case CWAP_LOW: return NoiseSuppression::kLow;
    case CWAP_MODERATE: return NoiseSuppression::kModerate;
    case CWAP_HIGH: return NoiseSuppression::kHigh;
    default: return NoiseSuppression::kVeryHigh;
  }
}

}  // namespace

extern "C" {

cwap_processor *cwap_create(cwap_format format, cwap_echo_search search) {
  webrtc::Config config;
  config.Set<webrtc::ExtendedFilter>(new webrtc::ExtendedFilter(search.has_extended_filter));
  config.Set<webrtc::DelayAgnostic>(new webrtc::DelayAgnostic(search.is_delay_agnostic));
  // There is no analog volume control.
  config.Set<webrtc::ExperimentalAgc>(new webrtc::ExperimentalAgc(false));

  auto processor = std::make_unique<cwap_processor>();
  processor->library.reset(webrtc::AudioProcessing::Create(config));
  if (!processor->library) return nullptr;
  processor->delay_ms = search.delay_ms;
  processor->capture = webrtc::StreamConfig(format.rate_hz, format.channel_count);
  processor->reference =
      format.reference_channel_count > 0
          ? webrtc::StreamConfig(format.reference_rate_hz, format.reference_channel_count)
          : processor->capture;
  const webrtc::ProcessingConfig streams{
      {processor->capture, processor->capture, processor->reference, processor->reference}};
  if (processor->library->Initialize(streams) != webrtc::AudioProcessing::kNoError) return nullptr;
  return processor.release();
}

void cwap_destroy(cwap_processor *processor) { delete processor; }

int32_t cwap_set_echo_cancellation(cwap_processor *processor, cwap_level level) {
  EchoCancellation *stage = processor->library->echo_cancellation();
  if (int error = stage->set_suppression_level(suppression(level))) return error;
  if (stage->is_enabled()) return 0;
  anechoic::FunctionTableGate::Writer writer;
  if (int error = stage->enable_metrics(true)) return error;
  return stage->Enable(true);
}

int32_t cwap_set_noise_suppression(cwap_processor *processor, cwap_level level) {
  NoiseSuppression *stage = processor->library->noise_suppression();
  if (int error = stage->set_level(noise_level(level))) return error;
  return stage->Enable(true);
}

int32_t cwap_stop_noise_suppression(cwap_processor *processor) {
  return processor->library->noise_suppression()->Enable(false);
}

int32_t cwap_set_gain_control(cwap_processor *processor, int32_t target_level_dbfs) {
  GainControl *stage = processor->library->gain_control();
  if (int error = stage->set_target_level_dbfs(target_level_dbfs)) return error;
  if (stage->is_enabled()) return 0;
  if (int error = stage->set_mode(GainControl::kAdaptiveDigital)) return error;
  if (int error = stage->enable_limiter(true)) return error;
  return stage->Enable(true);
}

int32_t cwap_set_voice_detection(cwap_processor *processor) {
  return processor->library->voice_detection()->Enable(true);
}

int32_t cwap_analyze_reference(cwap_processor *processor, const float *const *reference) {
  anechoic::FunctionTableGate::Reader reader(
      processor->library->echo_cancellation()->is_enabled());
  return processor->library->AnalyzeReverseStream(
      reference, processor->reference.num_frames(), processor->reference.sample_rate_hz(),
      processor->reference.num_channels() == 1 ? webrtc::AudioProcessing::kMono
                                               : webrtc::AudioProcessing::kStereo);
}

int32_t cwap_process(cwap_processor *processor, const float *const *input, float *const *output) {
  anechoic::FunctionTableGate::Reader reader(
      processor->library->echo_cancellation()->is_enabled());
  // The library requires this call before every frame.
  if (int error = processor->library->set_stream_delay_ms(processor->delay_ms)) return error;
  return processor->library->ProcessStream(input, processor->capture, processor->capture, output);
}

bool cwap_has_voice(const cwap_processor *processor) {
  return processor->library->voice_detection()->stream_has_voice();
}

float cwap_speech_probability(const cwap_processor *processor) {
  return processor->library->noise_suppression()->speech_probability();
}

cwap_echo_metrics cwap_get_echo_metrics(cwap_processor *processor) {
  cwap_echo_metrics result{};
  EchoCancellation *stage = processor->library->echo_cancellation();
  EchoCancellation::Metrics metrics;
  if (stage->GetMetrics(&metrics) == 0) {
    const int loss = metrics.echo_return_loss.instant;
    const int enhancement = metrics.echo_return_loss_enhancement.instant;
    result.has_echo_return_loss = loss > kUnknownDecibels;
    result.echo_return_loss_db = loss;
    result.has_echo_return_loss_enhancement = enhancement > kUnknownDecibels;
    result.echo_return_loss_enhancement_db = enhancement;
  }
  return result;
}

}  // extern "C"
