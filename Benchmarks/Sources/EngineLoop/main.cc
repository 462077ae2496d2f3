// What libwebrtc-audio-processing alone costs: processor time per 10 ms frame, in a loop around
// one instance a session. Prints one line of JSON.

#include <unistd.h>
#include <webrtc/common.h>
#include <webrtc/modules/audio_processing/include/audio_processing.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "Arguments.h"
#include "Call.h"
#include "CpuTime.h"

namespace {

using webrtc::AudioProcessing;

std::vector<float> floats(const std::vector<int16_t> &samples) {
  std::vector<float> result(samples.begin(), samples.end());
  for (float &sample : result) sample /= 32768;
  return result;
}

// All stages of the service's STANDARD mode, in a single instance.
std::unique_ptr<AudioProcessing> make_engine(int rate_hz) {
  webrtc::Config config;
  config.Set<webrtc::ExtendedFilter>(new webrtc::ExtendedFilter(true));
  config.Set<webrtc::DelayAgnostic>(new webrtc::DelayAgnostic(true));
  config.Set<webrtc::ExperimentalAgc>(new webrtc::ExperimentalAgc(false));
  std::unique_ptr<AudioProcessing> engine(AudioProcessing::Create(config));
  const webrtc::StreamConfig mono(rate_hz, 1);
  engine->Initialize(webrtc::ProcessingConfig{{mono, mono, mono, mono}});
  engine->high_pass_filter()->Enable(true);
  engine->echo_cancellation()->set_suppression_level(
      webrtc::EchoCancellation::kModerateSuppression);
  engine->echo_cancellation()->enable_metrics(true);
  engine->echo_cancellation()->enable_delay_logging(true);
  engine->echo_cancellation()->Enable(true);
  engine->noise_suppression()->set_level(webrtc::NoiseSuppression::kModerate);
  engine->noise_suppression()->Enable(true);
  engine->gain_control()->set_mode(webrtc::GainControl::kAdaptiveDigital);
  engine->gain_control()->set_target_level_dbfs(3);
  engine->gain_control()->enable_limiter(true);
  engine->gain_control()->Enable(true);
  engine->voice_detection()->Enable(true);
  return engine;
}

// 0, or the library's error.
int process(AudioProcessing *engine, int rate_hz, const float *microphone, const float *reference,
            float *output) {
  const webrtc::StreamConfig mono(rate_hz, 1);
  if (int error = engine->AnalyzeReverseStream(&reference, mono.num_frames(), rate_hz,
                                               AudioProcessing::kMono)) {
    return error;
  }
  if (int error = engine->set_stream_delay_ms(0)) return error;
  return engine->ProcessStream(&microphone, mono, mono, &output);
}

}  // namespace

int main(int argc, char **argv) {
  const bench::Arguments arguments(argc, argv,
                                   {{"microphone", ""},
                                    {"reference", ""},
                                    {"rate", "16000"},
                                    {"seconds", "5"},
                                    {"sessions", "1"}});
  const int rate_hz = arguments.number("rate", 8000);
  const bench::Call call =
      bench::read_call(arguments.text("microphone"), arguments.text("reference"), rate_hz);
  const std::vector<float> microphone = floats(call.microphone);
  const std::vector<float> reference = floats(call.reference);
  std::vector<float> output(call.frame_samples());
  std::vector<std::unique_ptr<AudioProcessing>> engines(arguments.number("sessions", 1));
  for (auto &engine : engines) engine = make_engine(rate_hz);

  using Clock = std::chrono::steady_clock;
  const auto warm = Clock::now() + std::chrono::seconds(1);
  const auto end = warm + std::chrono::seconds(arguments.number("seconds", 1));
  double cpu_before = -1;
  long frames = 0;
  for (size_t frame = 0;; ++frame) {
    const auto now = Clock::now();
    if (now > end) break;
    if (cpu_before < 0 && now > warm) {
      cpu_before = bench::cpu_time_us(getpid());
      frames = 0;
    }
    const size_t position = frame % call.frames() * call.frame_samples();
    for (auto &engine : engines) {
      if (int error = process(engine.get(), rate_hz, &microphone[position], &reference[position],
                              output.data())) {
        std::fprintf(stderr, "error: libwebrtc-audio-processing says %d\n", error);
        return 1;
      }
      ++frames;
    }
  }
  const double cpu = bench::cpu_time_us(getpid()) - cpu_before;
  std::printf("{\"frames\": %ld, \"cpu_us_per_frame\": %.2f}\n", frames, cpu / frames);
}
