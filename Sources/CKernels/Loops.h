// The loops behind `ck_kernels`. Each processor's file includes this one, with `CK_NAME(x)` as the names that
// the functions get there. The compiler turns the loops into vectors.

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "CKernels.h"

#if defined(__clang__)
#pragma clang fp contract(fast) reassociate(off)
#define CK_VECTORIZE _Pragma("clang loop vectorize(enable) interleave(enable)")
// For loops whose output may be their input.
#define CK_VECTORIZE_IN_PLACE _Pragma("clang loop vectorize(assume_safety) interleave(enable)")
#else
#define CK_VECTORIZE
#define CK_VECTORIZE_IN_PLACE
#endif

static void CK_NAME(multiply_add)(ck_complex a, ck_complex b, ck_mutable_complex sum, int count) {
  float *restrict real = sum.real, *restrict imaginary = sum.imaginary;
  CK_VECTORIZE
  for (int k = 0; k < count; ++k) {
    real[k] += a.real[k] * b.real[k] - a.imaginary[k] * b.imaginary[k];
    imaginary[k] += a.real[k] * b.imaginary[k] + a.imaginary[k] * b.real[k];
  }
}

static void CK_NAME(power)(ck_complex a, float *restrict power, int count) {
  CK_VECTORIZE
  for (int k = 0; k < count; ++k) power[k] = a.real[k] * a.real[k] + a.imaginary[k] * a.imaginary[k];
}

static void CK_NAME(weigh_power)(ck_complex a, const float *weight, float *restrict sum, int count) {
  CK_VECTORIZE
  for (int k = 0; k < count; ++k) {
    sum[k] += (a.real[k] * a.real[k] + a.imaginary[k] * a.imaginary[k]) * weight[k];
  }
}

static void CK_NAME(add_power)(ck_complex a, float *restrict sum, int count) {
  CK_VECTORIZE
  for (int k = 0; k < count; ++k) sum[k] += a.real[k] * a.real[k] + a.imaginary[k] * a.imaginary[k];
}

static void CK_NAME(adapt)(ck_partition partition, ck_complex error, const float *divisor, const float *growth,
                           const float *level, float keep, int count) {
  float *restrict real = partition.filter.real, *restrict imaginary = partition.filter.imaginary;
  float *restrict uncertainty = partition.uncertainty;
  const float *x = partition.reference.real, *y = partition.reference.imaginary;
  CK_VECTORIZE
  for (int k = 0; k < count; ++k) {
    const float gain = uncertainty[k] / divisor[k];
    const float r = real[k] + gain * (x[k] * error.real[k] + y[k] * error.imaginary[k]);
    const float i = imaginary[k] + gain * (x[k] * error.imaginary[k] - y[k] * error.real[k]);
    const float left = 1.0f - 0.5f * gain * (x[k] * x[k] + y[k] * y[k]);
    real[k] = r;
    imaginary[k] = i;
    uncertainty[k] = (left > 0.0f ? left : 0.0f) * keep * uncertainty[k] + growth[k] * (r * r + i * i + level[k]);
  }
}

// Sixteen floats that need no alignment. The compiler splits them for narrower processors.
#ifndef CK_SIXTEEN
#define CK_SIXTEEN
typedef float ck_sixteen __attribute__((vector_size(64), aligned(4), may_alias));
#endif

// The inner part of a layer: four rows of outputs at a time, because sixteen columns of four rows fill the registers
// of AVX2. `X` is where the inputs of index i start.
#define CK_LAYER(X)                                                                                           \
  for (int row = 0; row < rows; row += 4) {                                                                   \
    const float *w = weights + row * inputs;                                                                  \
    for (int column = 0; column < count; column += CK_WIDTH) {                                                \
      ck_sixteen a = (ck_sixteen){} + bias[row], b = (ck_sixteen){} + bias[row + 1];                          \
      ck_sixteen c = (ck_sixteen){} + bias[row + 2], d = (ck_sixteen){} + bias[row + 3];                      \
      for (int i = 0; i < inputs; ++i) {                                                                      \
        const ck_sixteen x = *(const ck_sixteen *)((X) + column);                                             \
        a += w[i] * x;                                                                                        \
        b += w[inputs + i] * x;                                                                               \
        c += w[2 * inputs + i] * x;                                                                           \
        d += w[3 * inputs + i] * x;                                                                           \
      }                                                                                                       \
      float *o = output + row * stride + column;                                                              \
      *(ck_sixteen *)(o) = a;                                                                                 \
      *(ck_sixteen *)(o + stride) = b;                                                                        \
      *(ck_sixteen *)(o + 2 * stride) = c;                                                                    \
      *(ck_sixteen *)(o + 3 * stride) = d;                                                                    \
    }                                                                                                         \
  }

static void CK_NAME(layer)(const float *weights, const float *bias, const float *input, float *restrict output,
                           int rows, int inputs, int count) {
  const int stride = count;
  CK_LAYER(input + i * count)
}

static void CK_NAME(layer_of_rows)(const float *weights, const float *bias, const float *const *input,
                                   float *restrict output, int stride, int rows, int inputs, int count) {
  CK_LAYER(input[i])
}

static void CK_NAME(interleave)(const float *even, const float *odd, float *restrict output, int count) {
  CK_VECTORIZE
  for (int k = 0; k < count; ++k) {
    output[2 * k] = even[k];
    output[2 * k + 1] = odd[k];
  }
}

static void CK_NAME(deinterleave)(const float *input, float *restrict even, float *restrict odd, int count) {
  CK_VECTORIZE
  for (int k = 0; k < count; ++k) {
    even[k] = input[2 * k];
    odd[k] = input[2 * k + 1];
  }
}

static void CK_NAME(layer_of_one)(const float *weights, const float *bias, const float *input,
                                  float *restrict output, int rows, int inputs) {
  for (int row = 0; row < rows; row += CK_WIDTH) {
    float sum[CK_WIDTH];
    for (int k = 0; k < CK_WIDTH; ++k) sum[k] = bias[row + k];
    for (int i = 0; i < inputs; ++i) {
      const float *w = weights + i * rows + row;
      for (int k = 0; k < CK_WIDTH; ++k) sum[k] += w[k] * input[i];
    }
    for (int k = 0; k < CK_WIDTH; ++k) output[row + k] = sum[k];
  }
}

// e^x by 2^n * 2^f with a polynomial for 2^f; the relative error is below 4e-7.
static inline float CK_NAME(exp_of)(float x) {
  float y = x * 1.44269504f;
  y = y < -126.0f ? -126.0f : y > 126.0f ? 126.0f : y;
  const float whole = floorf(y);
  const float f = y - whole;
  float p = 2.1702255e-4f;
  p = p * f + 1.2439688e-3f;
  p = p * f + 9.6788410e-3f;
  p = p * f + 5.5483342e-2f;
  p = p * f + 2.4022984e-1f;
  p = p * f + 6.9314698e-1f;
  p = p * f + 1.0f;
  const int32_t bits = ((int32_t)whole + 127) << 23;
  float scale;
  memcpy(&scale, &bits, 4);
  return p * scale;
}

static inline float CK_NAME(sigmoid_of)(float x) { return 1.0f / (1.0f + CK_NAME(exp_of)(-x)); }

static inline float CK_NAME(tanh_of)(float x) { return 2.0f / (1.0f + CK_NAME(exp_of)(-2.0f * x)) - 1.0f; }

// ln(x) by the exponent and a polynomial in (m - 1) / (m + 1) (atanh's series); x > 0.
static inline float CK_NAME(log_of)(float x) {
  int32_t bits;
  memcpy(&bits, &x, 4);
  const int32_t exponent = ((bits - 0x3f3504f3) >> 23);
  const int32_t rest = bits - exponent * (1 << 23);
  float m;
  memcpy(&m, &rest, 4);
  const float s = (m - 1.0f) / (m + 1.0f);
  const float q = s * s;
  const float series = s * (2.0f + q * (0.66666667f + q * (0.4f + q * 0.28571429f)));
  return (float)exponent * 0.69314718f + series;
}

static void CK_NAME(gates)(const float *from_input, const float *from_state, float *restrict state, int count) {
  CK_VECTORIZE
  for (int k = 0; k < count; ++k) {
    const float r = CK_NAME(sigmoid_of)(from_input[k] + from_state[k]);
    const float z = CK_NAME(sigmoid_of)(from_input[count + k] + from_state[count + k]);
    const float n = CK_NAME(tanh_of)(from_input[2 * count + k] + r * from_state[2 * count + k]);
    state[k] = n + z * (state[k] - n);
  }
}

static void CK_NAME(hyperbolic_tangent)(const float *input, float *output, int count) {
  CK_VECTORIZE_IN_PLACE
  for (int k = 0; k < count; ++k) output[k] = CK_NAME(tanh_of)(input[k]);
}

static void CK_NAME(sigmoid)(const float *input, float *output, int count) {
  CK_VECTORIZE_IN_PLACE
  for (int k = 0; k < count; ++k) output[k] = CK_NAME(sigmoid_of)(input[k]);
}

static void CK_NAME(logarithm)(const float *input, float offset, float *restrict output, int count) {
  CK_VECTORIZE
  for (int k = 0; k < count; ++k) output[k] = CK_NAME(log_of)(input[k] + offset);
}

static void CK_NAME(exponential)(const float *input, float *restrict output, int count) {
  CK_VECTORIZE
  for (int k = 0; k < count; ++k) output[k] = CK_NAME(exp_of)(input[k]);
}

#define CK_TABLE(title)                                                                                       \
  {                                                                                                           \
    title, CK_NAME(multiply_add), CK_NAME(power), CK_NAME(weigh_power), CK_NAME(add_power), CK_NAME(adapt),   \
        CK_NAME(layer), CK_NAME(layer_of_rows), CK_NAME(interleave), CK_NAME(deinterleave),                   \
        CK_NAME(layer_of_one), CK_NAME(gates), CK_NAME(hyperbolic_tangent), CK_NAME(sigmoid), \
        CK_NAME(logarithm), CK_NAME(exponential)                                                              \
  }
