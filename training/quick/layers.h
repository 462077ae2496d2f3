// Layers, forward and backward. "Gradients" are derivatives of the loss.
#pragma once

#include <cmath>

#include "matrices.h"

inline void applyTanh(float *values, long count) {
  for (long i = 0; i < count; i++) values[i] = tanhf(values[i]);
}

/// Turns gradients of the output of `applyTanh` into gradients of its input.
inline void tanhGradient(const float *activated, float *gradients, long count) {
  for (long i = 0; i < count; i++) gradients[i] *= 1 - activated[i] * activated[i];
}

/// A layer of all inputs on all outputs: a matrix, and a bias after it.
struct Dense {
  Matrix shape;
  const float *weights;
  float *weightGradients;
  Buffer transposedWeights;

  Dense(Matrix shape, const float *weights, float *weightGradients)
      : shape(shape), weights(weights), weightGradients(weightGradients),
        transposedWeights(transposed(weights, shape)) {}

  const float *bias() const { return weights + shape.rows * shape.width; }

  void forward(long count, Windows in, float *out) const {
    fill(count, bias(), shape.width, out, shape.width);
    multiply(count, in, weights, shape, out, shape.width);
  }
  /// Adds to the gradients of the weights, from those of the outputs.
  void accumulateGradient(long count, Windows in, const float *gradients) const {
    accumulate(count, in, gradients, shape.width, weightGradients, shape);
    accumulateBias(count, gradients, shape.width, weightGradients + shape.rows * shape.width, shape.width);
  }
  /// Adds to the gradients of the inputs, which are `pitch` apart.
  void backward(long count, const float *gradients, float *result, int pitch) const {
    multiply(count, {gradients, shape.width}, transposedWeights.data(), {shape.width, shape.rows}, result, pitch);
  }
};

/// A convolution of four taps with a stride of two, and its transpose: each is the gradient of the other. The finer
/// side has twice as many rows.
struct StridedConvolution {
  Matrix shape;  // taps x channels of the finer side, by channels of the coarser side
  int finer;
  const float *weights;
  float *weightGradients;
  Buffer even, odd;

  StridedConvolution(const float *weights, float *weightGradients, int finer, int coarser)
      : shape{4 * finer, coarser}, finer(finer), weights(weights), weightGradients(weightGradients),
        even(2 * finer * coarser), odd(2 * finer * coarser) {
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
  void accumulateGradient(Rows &fine, long from, Rows &coarse, long to) const {
    accumulate(coarse.rows, windows(fine, from), coarse.at(to), shape.width, weightGradients, shape);
  }
  void accumulateBiasGradient(Rows &gradients, long position) const {
    accumulateBias(gradients.rows, gradients.at(position), gradients.channels,
                   weightGradients + shape.rows * shape.width, gradients.channels);
  }
};

/// A gated recurrent unit for `count` rows at once, with as many outputs as inputs.
struct GRU {
  int width, count, frames;
  Dense input, recurrent;
  Buffer gates;   // frames x count x (reset, update, new)
  Buffer inner;   // frames x count x width: the input of the reset gate
  Buffer hidden;  // frames + 1 x count x width

  GRU(int width, int count, int frames, const float *weights, float *weightGradients)
      : width(width), count(count), frames(frames), input({width, 3 * width}, weights, weightGradients),
        recurrent({width, 3 * width}, weights + size(width) / 2, weightGradients + size(width) / 2),
        gates(long(frames) * count * 3 * width), inner(long(frames) * count * width),
        hidden(long(frames + 1) * count * width) {
    memset(hidden.data(), 0, long(count) * width * sizeof(float));
  }
  static int size(int width) { return 6 * width * width + 6 * width; }

  /// The results of the layer: frames x count x width.
  const float *results() const { return &hidden[long(count) * width]; }

  /// Computes the results. `gates` contains the output of `input` already.
  void forward() {
    Buffer fromState(long(count) * 3 * width);
    for (int t = 0; t < frames; t++) {
      const float *old = &hidden[long(t) * count * width];
      recurrent.forward(count, {old, width}, fromState.data());
      for (int m = 0; m < count; m++) {
        const long row = long(t) * count + m;
        float *gate = &gates[row * 3 * width], *part = &inner[row * width], *next = &hidden[(row + count) * width];
        const float *h = &fromState[m * 3 * width], *before = old + m * width;
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

  /// Replaces `gates` by the gradients of the input of the gates, from the gradients of the results.
  void backward(const float *outputGradients) {
    Buffer carried = Buffer::zeros(long(count) * width), gradients(long(count) * 3 * width);
    for (int t = frames - 1; t >= 0; t--) {
      const float *old = &hidden[long(t) * count * width];
      for (int m = 0; m < count; m++) {
        const long row = long(t) * count + m;
        float *gate = &gates[row * 3 * width], *gradient = &gradients[m * 3 * width], *carry = &carried[m * width];
        const float *part = &inner[row * width], *before = old + m * width;
        for (int i = 0; i < width; i++) {
          const float h = carry[i] + outputGradients[row * width + i];
          const float reset = gate[i], update = gate[width + i], candidate = gate[2 * width + i];
          const float toCandidate = h * (1 - update) * (1 - candidate * candidate);
          const float toUpdate = h * (before[i] - candidate) * update * (1 - update);
          const float toReset = toCandidate * part[i] * reset * (1 - reset);
          gate[i] = gradient[i] = toReset;
          gate[width + i] = gradient[width + i] = toUpdate;
          gate[2 * width + i] = toCandidate;
          gradient[2 * width + i] = toCandidate * reset;
          carry[i] = h * update;
        }
      }
      recurrent.backward(count, gradients.data(), carried.data(), width);
      recurrent.accumulateGradient(count, {old, width}, gradients.data());
    }
  }
};
