#pragma once

#include <cstdint>
#include <string>
#include <vector>

using Samples = std::vector<float>;

Samples silence(double seconds, uint32_t rate);
Samples noise(double seconds, uint32_t rate);
Samples tone(double seconds, uint32_t rate, double hertz, float amplitude);
// Reads a mono file of 16 bits, each sample `factor` times.
Samples readWave(const std::string& path, uint32_t factor);

double decibels(const Samples& samples, size_t first, size_t count);
// By how many samples `delayed` follows `source` between two positions of `delayed`.
int64_t lag(const Samples& source, const Samples& delayed, size_t first, size_t count,
            int64_t longest);
// The samples, later by a delay.
Samples delayed(const Samples& samples, int64_t delay);
float largestStep(const Samples& samples);
