// Products of matrices whose widths are multiples of eight. Rows of a matrix may overlap: a window is a row that
// begins `stride` values after the one before.
#pragma once

#include "memory.h"

using Vector = float __attribute__((vector_size(32), aligned(4)));

/// Rows that begin `stride` values apart.
struct Windows {
  const float *start;
  int stride;

  Windows from(int row, int column = 0) const { return {start + row * stride + column, stride}; }
};

/// A matrix of the weights, or of their slopes.
struct Matrix {
  int rows, width;
};

template <int R, int V>
inline void multiplyTile(int taps, Windows in, const float *matrix, int width, float *out, int pitch) {
  Vector sum[R][V];
  for (int r = 0; r < R; r++)
    for (int v = 0; v < V; v++) sum[r][v] = *(const Vector *)(out + r * pitch + 8 * v);
  for (int k = 0; k < taps; k++) {
    Vector row[V];
    for (int v = 0; v < V; v++) row[v] = *(const Vector *)(matrix + k * width + 8 * v);
    for (int r = 0; r < R; r++) {
      const float value = in.start[r * in.stride + k];
      for (int v = 0; v < V; v++) sum[r][v] += value * row[v];
    }
  }
  for (int r = 0; r < R; r++)
    for (int v = 0; v < V; v++) *(Vector *)(out + r * pitch + 8 * v) = sum[r][v];
}

template <int R, int V>
inline void multiplyColumns(int count, int taps, Windows in, const float *matrix, int width, float *out, int pitch) {
  int m = 0;
  for (; m + R <= count; m += R) multiplyTile<R, V>(taps, in.from(m), matrix, width, out + m * pitch, pitch);
  for (; m + 2 <= count; m += 2) multiplyTile<2, V>(taps, in.from(m), matrix, width, out + m * pitch, pitch);
  for (; m < count; m++) multiplyTile<1, V>(taps, in.from(m), matrix, width, out + m * pitch, pitch);
}

/// Adds windows of `shape.rows` values, times the matrix, to the rows of `out`.
inline void multiply(int count, Windows in, const float *matrix, Matrix shape, float *out, int pitch) {
  const auto [taps, width] = shape;
  int n = 0;
  for (; n + 24 <= width && (width - n) % 16 != 0; n += 24)
    multiplyColumns<4, 3>(count, taps, in, matrix + n, width, out + n, pitch);
  for (; n + 16 <= width; n += 16) multiplyColumns<6, 2>(count, taps, in, matrix + n, width, out + n, pitch);
  for (; n + 8 <= width; n += 8) multiplyColumns<8, 1>(count, taps, in, matrix + n, width, out + n, pitch);
}

template <int R, int V>
inline void learnTile(int count, Windows in, const float *slopes, int pitch, float *matrix, int width) {
  Vector sum[R][V];
  for (int r = 0; r < R; r++)
    for (int v = 0; v < V; v++) sum[r][v] = *(const Vector *)(matrix + r * width + 8 * v);
  for (int m = 0; m < count; m++) {
    Vector row[V];
    for (int v = 0; v < V; v++) row[v] = *(const Vector *)(slopes + m * pitch + 8 * v);
    for (int r = 0; r < R; r++) {
      const float value = in.start[m * in.stride + r];
      for (int v = 0; v < V; v++) sum[r][v] += value * row[v];
    }
  }
  for (int r = 0; r < R; r++)
    for (int v = 0; v < V; v++) *(Vector *)(matrix + r * width + 8 * v) = sum[r][v];
}

template <int R, int V>
inline void learnColumns(int count, Windows in, const float *slopes, int pitch, float *matrix, Matrix shape) {
  int k = 0;
  for (; k + R <= shape.rows; k += R)
    learnTile<R, V>(count, in.from(0, k), slopes, pitch, matrix + k * shape.width, shape.width);
  for (; k < shape.rows; k++)
    learnTile<1, V>(count, in.from(0, k), slopes, pitch, matrix + k * shape.width, shape.width);
}

/// Adds the slope of `multiply` by its matrix to `matrix`: the windows, transposed, times the slopes of the output.
inline void learn(int count, Windows in, const float *slopes, int pitch, float *matrix, Matrix shape) {
  int n = 0;
  for (; n + 24 <= shape.width && (shape.width - n) % 16 != 0; n += 24)
    learnColumns<4, 3>(count, in, slopes + n, pitch, matrix + n, shape);
  for (; n + 16 <= shape.width; n += 16) learnColumns<4, 2>(count, in, slopes + n, pitch, matrix + n, shape);
  for (; n + 8 <= shape.width; n += 8) learnColumns<8, 1>(count, in, slopes + n, pitch, matrix + n, shape);
}

/// Sets each row to the bias.
inline void fill(int count, const float *bias, int width, float *out, int pitch) {
  for (int m = 0; m < count; m++) memcpy(out + m * pitch, bias, width * sizeof(float));
}

inline void learnBias(int count, const float *slopes, int pitch, float *bias, int width) {
  for (int m = 0; m < count; m++)
    for (int n = 0; n < width; n++) bias[n] += slopes[m * pitch + n];
}

inline Buffer transposed(const float *matrix, Matrix shape) {
  Buffer result(long(shape.rows) * shape.width);
  for (int r = 0; r < shape.rows; r++)
    for (int c = 0; c < shape.width; c++) result[c * shape.rows + r] = matrix[r * shape.width + c];
  return result;
}
