// Products of matrices whose widths are multiples of eight. Rows of a matrix may overlap: a window is a row that
// begins `stride` values after the one before.
#pragma once

#include "memory.h"

using Vector = float __attribute__((vector_size(32), aligned(4)));

/// Rows that begin `stride` values apart, whose values are `step` apart.
struct Windows {
  const float *start;
  int stride;
  int step = 1;

  Windows from(int row) const { return {start + row * stride, stride, step}; }
  Windows transposed() const { return {start, step, stride}; }
};

/// The shape of a matrix of weights, or of their gradients.
struct Matrix {
  int rows, width;
};

template <int R, int V>
inline void addTile(int terms, Windows in, const float *right, int rightPitch, float *out, int pitch) {
  Vector sum[R][V];
  for (int r = 0; r < R; r++)
    for (int v = 0; v < V; v++) sum[r][v] = *(const Vector *)(out + r * pitch + 8 * v);
  for (int k = 0; k < terms; k++) {
    Vector row[V];
    for (int v = 0; v < V; v++) row[v] = *(const Vector *)(right + k * rightPitch + 8 * v);
    for (int r = 0; r < R; r++) {
      const float value = in.start[r * in.stride + k * in.step];
      for (int v = 0; v < V; v++) sum[r][v] += value * row[v];
    }
  }
  for (int r = 0; r < R; r++)
    for (int v = 0; v < V; v++) *(Vector *)(out + r * pitch + 8 * v) = sum[r][v];
}

template <int R, int V>
inline void addColumns(int count, int terms, Windows in, const float *right, int rightPitch, float *out, int pitch) {
  int m = 0;
  for (; m + R <= count; m += R) addTile<R, V>(terms, in.from(m), right, rightPitch, out + m * pitch, pitch);
  for (; m + 2 <= count; m += 2) addTile<2, V>(terms, in.from(m), right, rightPitch, out + m * pitch, pitch);
  for (; m < count; m++) addTile<1, V>(terms, in.from(m), right, rightPitch, out + m * pitch, pitch);
}

/// Adds `count` windows of `terms` values, times a matrix of terms x width, to the rows of `out`.
inline void addProduct(int count, int terms, Windows in, const float *right, int rightPitch, int width, float *out,
                       int pitch) {
  int n = 0;
  for (; n + 24 <= width && (width - n) % 16 != 0; n += 24)
    addColumns<4, 3>(count, terms, in, right + n, rightPitch, out + n, pitch);
  for (; n + 16 <= width; n += 16) addColumns<6, 2>(count, terms, in, right + n, rightPitch, out + n, pitch);
  for (; n + 8 <= width; n += 8) addColumns<8, 1>(count, terms, in, right + n, rightPitch, out + n, pitch);
}

/// Adds windows of `shape.rows` values, times the matrix, to the rows of `out`.
inline void multiply(int count, Windows in, const float *matrix, Matrix shape, float *out, int pitch) {
  addProduct(count, shape.rows, in, matrix, shape.width, shape.width, out, pitch);
}

/// Adds the gradient of `multiply` by its matrix to `matrix`: the windows, transposed, times the gradients of the output.
inline void accumulate(int count, Windows in, const float *gradients, int pitch, float *matrix, Matrix shape) {
  addProduct(shape.rows, count, in.transposed(), gradients, pitch, shape.width, matrix, shape.width);
}

/// Sets each row to the bias.
inline void fill(int count, const float *bias, int width, float *out, int pitch) {
  for (int m = 0; m < count; m++) memcpy(out + m * pitch, bias, width * sizeof(float));
}

inline void accumulateBias(int count, const float *gradients, int pitch, float *bias, int width) {
  for (int m = 0; m < count; m++)
    for (int n = 0; n < width; n++) bias[n] += gradients[m * pitch + n];
}

inline Buffer transposed(const float *matrix, Matrix shape) {
  Buffer result(long(shape.rows) * shape.width);
  for (int r = 0; r < shape.rows; r++)
    for (int c = 0; c < shape.width; c++) result[c * shape.rows + r] = matrix[r * shape.width + c];
  return result;
}
