// Measures the processor time of libwebrtc-audio-processing per 10 ms frame, in a loop that does
// nothing else. Prints one line of JSON. Several engines take turns, frame by frame.

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <vector>

#include "Arguments.h"
#include "BareEngine.h"
#include "Call.h"
#include "CpuTime.h"

namespace {

using Engines = std::vector<std::unique_ptr<BareEngine>>;

// Lets each engine process `frames` frames. Returns the total number of frames.
long run(int frames, const Engines &engines) {
  for (int frame = 0; frame < frames; ++frame) {
    for (const auto &engine : engines) engine->process_next();
  }
  return static_cast<long>(frames) * static_cast<long>(engines.size());
}

// Runs the measured part. Its name is for `callgrind --toggle-collect`.
__attribute__((noinline)) long run_measured(int frames, const Engines &engines) {
  return run(frames, engines);
}

long run_for(std::chrono::seconds duration, const Engines &engines) {
  const auto end = std::chrono::steady_clock::now() + duration;
  long frames = 0;
  while (std::chrono::steady_clock::now() < end) frames += run(1, engines);
  return frames;
}

}  // namespace

int main(int argc, char **argv) {
  const bench::Arguments arguments(argc, argv,
                                   {{"microphone", ""},
                                    {"reference", ""},
                                    {"rate", "16000"},
                                    {"engines", "1"},
                                    {"seconds", "5"},
                                    {"frames", "0"}});  // The frames of each engine, instead of the seconds.
  const EngineAudio audio(bench::read_call(arguments.text("microphone"),
                                           arguments.text("reference"),
                                           arguments.number("rate", 8000)));
  Engines engines;
  for (int i = 0; i < arguments.number("engines", 1); ++i) {
    constexpr size_t kFramesApart = 37;
    engines.push_back(std::make_unique<BareEngine>(audio, i * kFramesApart));
  }
  const int limit = arguments.number("frames", 0);
  // Before the measurement, the filters adapt.
  limit > 0 ? run(100, engines) : run_for(std::chrono::seconds(1), engines);
  const double before_us = bench::cpu_time_us(getpid());
  const long frames = limit > 0
                          ? run_measured(limit, engines)
                          : run_for(std::chrono::seconds(arguments.number("seconds", 1)), engines);
  const double used_us = bench::cpu_time_us(getpid()) - before_us;
  std::printf("{\"frames\": %ld, \"cpu_us_per_frame\": %.2f}\n", frames, used_us / frames);
}
