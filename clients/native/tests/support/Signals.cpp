#include "Signals.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <numbers>
#include <random>

#include "Checks.h"

Samples silence(double seconds, uint32_t rate) { return Samples(size_t(seconds * rate)); }

Samples noise(double seconds, uint32_t rate) {
  std::minstd_rand random(1);
  std::uniform_real_distribution<float> values(-0.3f, 0.3f);
  Samples samples(size_t(seconds * rate));
  for (float& sample : samples) sample = values(random);
  return samples;
}

Samples tone(double seconds, uint32_t rate, double hertz, float amplitude) {
  Samples samples(size_t(seconds * rate));
  for (size_t index = 0; index < samples.size(); ++index) {
    samples[index] =
        amplitude * float(std::sin(2 * std::numbers::pi * hertz * double(index) / rate));
  }
  return samples;
}

Samples readWave(const std::string& path, uint32_t factor) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  constexpr size_t header = 44;
  check(bytes.size() > header, path + " can be read; scripts/generate sample makes it");
  Samples samples;
  for (size_t at = header; at + 1 < bytes.size(); at += 2) {
    const auto low = static_cast<unsigned char>(bytes[at]);
    const auto value = static_cast<int16_t>(low | bytes[at + 1] * 256);
    samples.insert(samples.end(), factor, value / 32768.0f);
  }
  return samples;
}

double decibels(const Samples& samples, size_t first, size_t count) {
  double energy = 1e-12;
  for (size_t index = first; index < first + count; ++index)
    energy += samples[index] * samples[index];
  return 10 * std::log10(energy / double(count));
}

int64_t lag(const Samples& source, const Samples& delayed, size_t first, size_t count,
            int64_t longest) {
  double most = 0;
  int64_t best = -1;
  for (int64_t candidate = 0; candidate <= longest; ++candidate) {
    double sum = 0;
    for (size_t index = first; index < first + count; ++index) {
      sum += delayed[index] * source[index - candidate];
    }
    if (sum > most) {
      most = sum;
      best = candidate;
    }
  }
  return best;
}

Samples delayed(const Samples& samples, int64_t delay) {
  Samples later(samples.size());
  std::copy(samples.begin(), samples.end() - delay, later.begin() + delay);
  return later;
}

float largestStep(const Samples& samples) {
  float largest = 0;
  for (size_t index = 1; index < samples.size(); ++index) {
    largest = std::max(largest, std::abs(samples[index] - samples[index - 1]));
  }
  return largest;
}
