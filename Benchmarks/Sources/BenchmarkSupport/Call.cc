#include "Call.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

namespace bench {
namespace {

[[noreturn]] void fail(const std::string &path, const char *why) {
  std::fprintf(stderr, "error: %s: %s\n", path.c_str(), why);
  std::exit(1);
}

template <class Number>
Number little_endian(const std::string &bytes, size_t position) {
  Number value;
  std::memcpy(&value, bytes.data() + position, sizeof value);
  return value;
}

struct Recording {
  int rate_hz = 0;
  std::vector<int16_t> samples;
};

// RFC 2361 (https://www.rfc-editor.org/rfc/rfc2361) lists the chunks. Each starts at an even byte.
Recording read_wav(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(path.empty() ? "--microphone, --reference" : path, "cannot be read");
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (bytes.size() < 12 || bytes.compare(0, 4, "RIFF") != 0 || bytes.compare(8, 4, "WAVE") != 0) {
    fail(path, "is not a WAV file");
  }
  Recording recording;
  for (size_t start = 12; start + 8 <= bytes.size();) {
    const std::string name = bytes.substr(start, 4);
    const size_t content = start + 8;
    const size_t size =
        std::min<size_t>(little_endian<uint32_t>(bytes, start + 4), bytes.size() - content);
    if (name == "fmt " && size >= 16) {
      const bool is_pcm = little_endian<uint16_t>(bytes, content) == 1;
      const bool is_mono = little_endian<uint16_t>(bytes, content + 2) == 1;
      const bool is_16_bit = little_endian<uint16_t>(bytes, content + 14) == 16;
      if (!is_pcm || !is_mono || !is_16_bit) fail(path, "is not 16-bit mono PCM");
      recording.rate_hz = static_cast<int>(little_endian<uint32_t>(bytes, content + 4));
    } else if (name == "data") {
      recording.samples.resize(size / 2);
      std::memcpy(recording.samples.data(), bytes.data() + content, size / 2 * 2);
    }
    start = content + size + size % 2;
  }
  if (recording.rate_hz == 0 || recording.samples.empty()) fail(path, "has no audio");
  return recording;
}

std::vector<int16_t> interpolate(const std::vector<int16_t> &samples, int factor) {
  std::vector<int16_t> result;
  result.reserve(samples.size() * factor);
  for (size_t i = 0; i < samples.size(); ++i) {
    const int here = samples[i];
    const int next = samples[std::min(i + 1, samples.size() - 1)];
    for (int step = 0; step < factor; ++step) {
      result.push_back(static_cast<int16_t>(here + (next - here) * step / factor));
    }
  }
  return result;
}

}  // namespace

Call read_call(const std::string &microphone_path, const std::string &reference_path,
               int rate_hz) {
  const Recording microphone = read_wav(microphone_path);
  const Recording reference = read_wav(reference_path);
  if (reference.rate_hz != microphone.rate_hz) {
    fail(reference_path, "has another rate than the microphone");
  }
  if (rate_hz % microphone.rate_hz != 0) fail(microphone_path, "has no rate that divides --rate");
  const int factor = rate_hz / microphone.rate_hz;
  Call call{rate_hz, interpolate(microphone.samples, factor),
            interpolate(reference.samples, factor)};
  const size_t common = std::min(call.microphone.size(), call.reference.size());
  const size_t whole = common - common % call.frame_samples();
  if (whole == 0) fail(microphone_path, "is shorter than a frame");
  call.microphone.resize(whole);
  call.reference.resize(whole);
  return call;
}

}  // namespace bench
