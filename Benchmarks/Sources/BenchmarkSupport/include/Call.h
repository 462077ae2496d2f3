#ifndef BENCHMARK_SUPPORT_CALL_H
#define BENCHMARK_SUPPORT_CALL_H

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

// Both sides of a call, mono, with the same whole number of 10 ms frames.
struct Call {
  int rate_hz;
  std::vector<int16_t> microphone;
  std::vector<int16_t> reference;

  size_t frame_samples() const { return rate_hz / 100; }
  size_t frames() const { return microphone.size() / frame_samples(); }
};

// Reads two 16-bit mono WAV files of the same rate and converts them to `rate_hz`, a multiple of
// that rate, by linear interpolation. The quality of the sound does not matter to a benchmark. A
// file that cannot be used ends the process with status 1.
Call read_call(const std::string &microphone_path, const std::string &reference_path, int rate_hz);

}  // namespace bench

#endif
