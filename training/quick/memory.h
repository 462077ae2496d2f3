// The memory of a step of training.
#pragma once

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

/// Memory of a thread that each step uses again from its start.
struct Arena {
  static constexpr size_t size = size_t(3) << 30;
  char *start = nullptr;
  size_t used = 0;

  float *take(long count) {
    if (!start) {
      void *found = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (found == MAP_FAILED) abort();
      madvise(found, size, MADV_HUGEPAGE);
      start = static_cast<char *>(found);
    }
    float *result = reinterpret_cast<float *>(start + used);
    used += (count * sizeof(float) + 63) / 64 * 64;
    if (used > size) abort();
    return result;
  }
};

inline thread_local Arena arena;

/// Values of the present step.
struct Buffer {
  float *values;

  explicit Buffer(long count) : values(arena.take(count)) {}

  static Buffer zeros(long count) {
    Buffer result(count);
    memset(result.values, 0, count * sizeof(float));
    return result;
  }
  float &operator[](long index) { return values[index]; }
  const float &operator[](long index) const { return values[index]; }
  float *data() { return values; }
  const float *data() const { return values; }
};

/// A sequence of positions x rows x channels. A row of zeros lies before and after the rows of a position, so that
/// the taps of a convolution lie side by side.
struct Rows {
  int rows, channels;
  Buffer values;

  Rows(long positions, int rows, int channels)
      : rows(rows), channels(channels), values(positions * (rows + 2) * channels) {
    for (long position = 0; position < positions; position++) {
      memset(margin(position), 0, channels * sizeof(float));
      memset(at(position, rows), 0, channels * sizeof(float));
    }
  }
  /// The number of values of a position, without its margins.
  int count() const { return rows * channels; }
  /// The number of values between two positions.
  int pitch() const { return (rows + 2) * channels; }
  float *at(long position, int row = 0) { return &values[position * pitch() + (row + 1) * channels]; }
  /// The row of zeros before a position.
  float *margin(long position) { return at(position, -1); }
  void clear(long position) { memset(at(position), 0, count() * sizeof(float)); }
};
