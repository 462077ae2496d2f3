// Layers, forwards and backwards. "Slopes" are derivatives of the loss.
#pragma once

#include <cmath>

#include "matrices.h"

inline void bend(float *values, long count) {
  for (long i = 0; i < count; i++) values[i] = tanhf(values[i]);
}

/// Turns slopes of what `bend` returned into slopes of what it was given.
inline void unbend(const float *bent, float *slopes, long count) {
  for (long i = 0; i < count; i++) slopes[i] *= 1 - bent[i] * bent[i];
}

/// A layer of all inputs on all outputs: a matrix, and a bias after it.
struct Dense {
  Matrix shape;
  const float *weights;
  float *learned;
  Buffer turned;

  Dense(Matrix shape, const float *weights, float *learned)
      : shape(shape), weights(weights), learned(learned), turned(transposed(weights, shape)) {}

  const float *bias() const { return weights + shape.rows * shape.width; }

  void forwards(long count, Windows in, float *out) const {
    fill(count, bias(), shape.width, out, shape.width);
    multiply(count, in, weights, shape, out, shape.width);
  }
  /// Learns from the slopes of the outputs.
  void learnFrom(long count, Windows in, const float *slopes) const {
    learn(count, in, slopes, shape.width, learned, shape);
    learnBias(count, slopes, shape.width, learned + shape.rows * shape.width, shape.width);
  }
  /// Adds to the slopes of the inputs, which are `pitch` apart.
  void backwards(long count, const float *slopes, float *result, int pitch) const {
    multiply(count, {slopes, shape.width}, turned.data(), {shape.width, shape.rows}, result, pitch);
  }
};

/// A convolution of four taps with a stride of two, and its transpose: each is the slope of the other. The finer side
/// has twice as many rows.
struct Taps {
  Matrix shape;  // taps x channels of the finer side, by channels of the coarser side
  int finer;
  const float *weights;
  float *learned;
  Buffer even, odd;

  Taps(const float *weights, float *learned, int finer, int coarser)
      : shape{4 * finer, coarser}, finer(finer), weights(weights), learned(learned), even(2 * finer * coarser),
        odd(2 * finer * coarser) {
    constexpr int evenTaps[2] = {3, 1}, oddTaps[2] = {2, 0};
    for (int half = 0; half < 2; half++)
      for (int f = 0; f < finer; f++)
        for (int c = 0; c < coarser; c++) {
          even[(half * coarser + c) * finer + f] = weights[(evenTaps[half] * finer + f) * coarser + c];
          odd[(half * coarser + c) * finer + f] = weights[(oddTaps[half] * finer + f) * coarser + c];
        }
  }
  /// The bias follows the weights. It belongs to the side that the layer leads to.
  const float *bias() const { return weights + shape.rows * shape.width; }

  static Windows windows(Rows &fine, long position) { return {fine.margin(position), 2 * fine.channels}; }

  /// Adds to the coarser side.
  void toCoarser(Rows &fine, long from, Rows &coarse, long to) const {
    multiply(coarse.rows, windows(fine, from), weights, shape, coarse.at(to), shape.width);
  }
  /// Adds to the finer side.
  void toFiner(Rows &coarse, Rows &fine, long position) const {
    const Matrix half = {2 * shape.width, finer};
    multiply(coarse.rows, {coarse.margin(position), shape.width}, even.data(), half, fine.at(position), 2 * finer);
    multiply(coarse.rows, {coarse.at(position), shape.width}, odd.data(), half, fine.at(position, 1), 2 * finer);
  }
  void learnFrom(Rows &fine, long from, Rows &coarse, long to) const {
    learn(coarse.rows, windows(fine, from), coarse.at(to), shape.width, learned, shape);
  }
  void learnBiasFrom(Rows &slopes, long position) const {
    learnBias(slopes.rows, slopes.at(position), slopes.channels, learned + shape.rows * shape.width, slopes.channels);
  }
};

/// A gated recurrent unit for `count` rows at once, with as many outputs as inputs.
struct Recurrent {
  int width, count, frames;
  Dense enter, again;
  Buffer gates;   // frames x count x (reset, update, new)
  Buffer inner;   // frames x count x width: what the reset lets through
  Buffer hidden;  // frames + 1 x count x width

  Recurrent(int width, int count, int frames, const float *weights, float *learned)
      : width(width), count(count), frames(frames), enter({width, 3 * width}, weights, learned),
        again({width, 3 * width}, weights + size(width) / 2, learned + size(width) / 2),
        gates(long(frames) * count * 3 * width), inner(long(frames) * count * width),
        hidden(long(frames + 1) * count * width) {
    memset(hidden.data(), 0, long(count) * width * sizeof(float));
  }
  static int size(int width) { return 6 * width * width + 6 * width; }

  /// The results of the layer: frames x count x width.
  const float *results() const { return &hidden[long(count) * width]; }

  /// What `enter` made of the inputs is in `gates` already.
  void forwards() {
    Buffer heard(long(count) * 3 * width);
    for (int t = 0; t < frames; t++) {
      const float *old = &hidden[long(t) * count * width];
      again.forwards(count, {old, width}, heard.data());
      for (int m = 0; m < count; m++) {
        const long row = long(t) * count + m;
        float *gate = &gates[row * 3 * width], *part = &inner[row * width], *next = &hidden[(row + count) * width];
        const float *h = &heard[m * 3 * width], *before = old + m * width;
        for (int i = 0; i < 2 * width; i++) gate[i] = 1 / (1 + expf(-(gate[i] + h[i])));
        for (int i = 0; i < width; i++) {
          part[i] = h[2 * width + i];
          gate[2 * width + i] = tanhf(gate[2 * width + i] + gate[i] * part[i]);
        }
        for (int i = 0; i < width; i++) {
          const float update = gate[width + i];
          next[i] = (1 - update) * gate[2 * width + i] + update * before[i];
        }
      }
    }
  }

  /// Takes the slopes of the results, and leaves those of what entered the gates in `gates`.
  void backwards(const float *given) {
    Buffer carried = Buffer::zeros(long(count) * width), slopes(long(count) * 3 * width);
    for (int t = frames - 1; t >= 0; t--) {
      const float *old = &hidden[long(t) * count * width];
      for (int m = 0; m < count; m++) {
        const long row = long(t) * count + m;
        float *gate = &gates[row * 3 * width], *slope = &slopes[m * 3 * width], *carry = &carried[m * width];
        const float *part = &inner[row * width], *before = old + m * width;
        for (int i = 0; i < width; i++) {
          const float h = carry[i] + given[row * width + i];
          const float reset = gate[i], update = gate[width + i], fresh = gate[2 * width + i];
          const float toFresh = h * (1 - update) * (1 - fresh * fresh);
          const float toUpdate = h * (before[i] - fresh) * update * (1 - update);
          const float toReset = toFresh * part[i] * reset * (1 - reset);
          gate[i] = slope[i] = toReset;
          gate[width + i] = slope[width + i] = toUpdate;
          gate[2 * width + i] = toFresh;
          slope[2 * width + i] = toFresh * reset;
          carry[i] = h * update;
        }
      }
      again.backwards(count, slopes.data(), carried.data(), width);
      again.learnFrom(count, {old, width}, slopes.data());
    }
  }
};
