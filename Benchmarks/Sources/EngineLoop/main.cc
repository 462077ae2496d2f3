// What libwebrtc-audio-processing costs in a loop that does nothing else: processor time per 10 ms
// frame, in one line of JSON.

#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "Arguments.h"
#include "BareEngine.h"
#include "Call.h"
#include "CpuTime.h"

namespace {

// Returns the number of frames that it took.
long run_for(std::chrono::seconds duration, BareEngine &engine) {
  const auto end = std::chrono::steady_clock::now() + duration;
  long frames = 0;
  for (; std::chrono::steady_clock::now() < end; ++frames) engine.process_next();
  return frames;
}

}  // namespace

int main(int argc, char **argv) {
  const bench::Arguments arguments(
      argc, argv, {{"microphone", ""}, {"reference", ""}, {"rate", "16000"}, {"seconds", "5"}});
  const EngineAudio audio(bench::read_call(arguments.text("microphone"),
                                           arguments.text("reference"),
                                           arguments.number("rate", 8000)));
  BareEngine engine(audio, 0);
  run_for(std::chrono::seconds(1), engine);  // the filters adapt
  const double before_us = bench::cpu_time_us(getpid());
  const long frames = run_for(std::chrono::seconds(arguments.number("seconds", 1)), engine);
  const double used_us = bench::cpu_time_us(getpid()) - before_us;
  std::printf("{\"frames\": %ld, \"cpu_us_per_frame\": %.2f}\n", frames, used_us / frames);
}
