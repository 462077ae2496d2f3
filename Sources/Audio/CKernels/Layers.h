// The layers of networks behind `ck_kernels`, part of Loops.h. Each processor's file defines the vectors that they use:
// `CK_VECTOR` floats in a vector, 8 or 16; `CK_TILE` times eight columns and `CK_STRIP` vectors of rows at a time, as
// many as the registers hold. Each output is one sum in the order of the inputs, so these sizes change no bit of it.

typedef float ck_vector __attribute__((vector_size(4 * CK_VECTOR), aligned(4), may_alias));

// Keeps the compiler from reading the weights of all rows at once, for which it would run out of registers.
#define CK_IN_ORDER() __asm__ volatile("")

// Four rows of outputs, `eights` times eight columns of each: in vectors, and one of eight if these leave eight over.
static inline __attribute__((always_inline)) void CK_NAME(tile)(
    const int eights, const float *weights, const float *bias, const float *const *input, int column, int inputs,
    float *restrict output, int stride) {
  const int wide = eights * 8 / CK_VECTOR, rest = eights * 8 % CK_VECTOR;
  ck_vector sum[4][5];
  ck_eight sum_of_rest[4];
#pragma clang loop unroll(full)
  for (int row = 0; row < 4; ++row) {
#pragma clang loop unroll(full)
    for (int part = 0; part < wide; ++part) sum[row][part] = (ck_vector){} + bias[row];
    sum_of_rest[row] = (ck_eight){} + bias[row];
  }
  for (int i = 0; i < inputs; ++i, weights += 4) {
    const float *from = input[i] + column;
    ck_vector values[5];
#pragma clang loop unroll(full)
    for (int part = 0; part < wide; ++part) values[part] = *(const ck_vector *)(from + CK_VECTOR * part);
    const ck_eight values_of_rest = rest ? *(const ck_eight *)(from + CK_VECTOR * wide) : (ck_eight){};
#pragma clang loop unroll(full)
    for (int row = 0; row < 4; ++row) {
#pragma clang loop unroll(full)
      for (int part = 0; part < wide; ++part) sum[row][part] += weights[row] * values[part];
      if (rest) sum_of_rest[row] += weights[row] * values_of_rest;
      CK_IN_ORDER();
    }
  }
#pragma clang loop unroll(full)
  for (int row = 0; row < 4; ++row) {
#pragma clang loop unroll(full)
    for (int part = 0; part < wide; ++part) *(ck_vector *)(output + row * stride + CK_VECTOR * part) = sum[row][part];
    if (rest) *(ck_eight *)(output + row * stride + CK_VECTOR * wide) = sum_of_rest[row];
  }
}

static void CK_NAME(layer)(const float *weights, const float *bias, const float *const *input,
                           float *restrict output, int stride, int rows, int inputs, int first, int count) {
#define CK_COLUMNS(eights) CK_NAME(tile)(eights, weights, bias, input, column, inputs, output + (column - first), stride)
#define CK_REST(eights) case eights: CK_COLUMNS(eights); break
  const int end = first + count;
  for (int row = 0; row < rows; row += 4, weights += 4 * inputs, bias += 4, output += 4 * stride) {
    int column = first;
    for (; column + 8 * CK_TILE <= end; column += 8 * CK_TILE) CK_COLUMNS(CK_TILE);
#if CK_TILE > 1
    switch ((end - column) / 8) {
      CK_REST(1);
#if CK_TILE > 2
      CK_REST(2);
#endif
#if CK_TILE > 3
      CK_REST(3);
      CK_REST(4);
      CK_REST(5);
      CK_REST(6);
      CK_REST(7);
      CK_REST(8);
      CK_REST(9);
#endif
    }
#endif
  }
#undef CK_REST
#undef CK_COLUMNS
}

// `parts` vectors of rows of outputs.
static inline __attribute__((always_inline)) void CK_NAME(strip)(
    const int parts, const float *weights, const float *bias, const float *input, float *restrict output, int rows,
    int inputs) {
  ck_vector sum[8];
#pragma clang loop unroll(full)
  for (int part = 0; part < parts; ++part) sum[part] = *(const ck_vector *)(bias + CK_VECTOR * part);
  for (int i = 0; i < inputs; ++i, weights += rows) {
#pragma clang loop unroll(full)
    for (int part = 0; part < parts; ++part) sum[part] += input[i] * *(const ck_vector *)(weights + CK_VECTOR * part);
  }
#pragma clang loop unroll(full)
  for (int part = 0; part < parts; ++part) *(ck_vector *)(output + CK_VECTOR * part) = sum[part];
}

static void CK_NAME(layer_of_column)(const float *weights, const float *bias, const float *input,
                                     float *restrict output, int rows, int inputs) {
  const int most = CK_STRIP * CK_VECTOR;
  int row = 0;
  for (; row + most <= rows; row += most) {
    CK_NAME(strip)(CK_STRIP, weights + row, bias + row, input, output + row, rows, inputs);
  }
  for (; row + 32 <= rows; row += 32) {
    CK_NAME(strip)(32 / CK_VECTOR, weights + row, bias + row, input, output + row, rows, inputs);
  }
  for (; row < rows; row += 8) {
    ck_eight sum = *(const ck_eight *)(bias + row);
    for (int i = 0; i < inputs; ++i) sum += input[i] * *(const ck_eight *)(weights + (long)i * rows + row);
    *(ck_eight *)(output + row) = sum;
  }
}
