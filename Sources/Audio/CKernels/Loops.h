// The loops behind `ck_kernels`. Each processor's file includes this one, with `CK_NAME(x)` as the names that
// the functions get there. The compiler turns the loops into vectors.

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "CKernels.h"

#if defined(__clang__)
#pragma clang fp contract(fast) reassociate(off)
// Functions that pass vectors are all inlined.
#pragma clang diagnostic ignored "-Wpsabi"
// A vector at a time. The counts are multiples of eight: if vectors hold more, the last one has a mask.
#if CK_VECTOR > 8
#define CK_MASKS vectorize_predicate(enable)
#else
#define CK_MASKS
#endif
#define CK_PRAGMA(...) _Pragma(#__VA_ARGS__)
#define CK_LOOP(way) CK_PRAGMA(clang loop vectorize(way) vectorize_width(CK_VECTOR) interleave_count(1) CK_MASKS)
#define CK_VECTORIZE CK_LOOP(enable)
// For loops whose output may be their input.
#define CK_VECTORIZE_IN_PLACE CK_LOOP(assume_safety)
#else
#define CK_VECTORIZE
#define CK_VECTORIZE_IN_PLACE
#endif

// Eight floats that need no alignment. The compiler splits them for narrower processors.
#ifndef CK_EIGHT
#define CK_EIGHT
typedef float ck_eight __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t ck_eight_bits __attribute__((vector_size(32), aligned(4), may_alias));
#endif

// `wide` times eight products.
static inline __attribute__((always_inline)) void CK_NAME(add_products)(
    const int wide, const ck_complex *a, const ck_complex *b, int pairs, ck_mutable_complex sum, int first) {
  ck_eight real[3] = {}, imaginary[3] = {};
  for (int pair = 0; pair < pairs; ++pair) {
#pragma clang loop unroll(full)
    for (int part = 0; part < wide; ++part) {
      const int k = first + 8 * part;
      const ck_eight p = *(const ck_eight *)(a[pair].real + k), q = *(const ck_eight *)(a[pair].imaginary + k);
      const ck_eight r = *(const ck_eight *)(b[pair].real + k), s = *(const ck_eight *)(b[pair].imaginary + k);
      real[part] += p * r;
      real[part] -= q * s;
      imaginary[part] += p * s;
      imaginary[part] += q * r;
    }
  }
#pragma clang loop unroll(full)
  for (int part = 0; part < wide; ++part) {
    *(ck_eight *)(sum.real + first + 8 * part) = real[part];
    *(ck_eight *)(sum.imaginary + first + 8 * part) = imaginary[part];
  }
}

static void CK_NAME(sum_of_products)(const ck_complex *a, const ck_complex *b, int pairs, ck_mutable_complex sum,
                                     int first, int count) {
  const int end = first + count;
  for (; first + 8 * CK_WIDEST <= end; first += 8 * CK_WIDEST) {
    CK_NAME(add_products)(CK_WIDEST, a, b, pairs, sum, first);
  }
  for (; first < end; first += 8) CK_NAME(add_products)(1, a, b, pairs, sum, first);
}

static void CK_NAME(power)(ck_complex a, float *restrict power, int count) {
  CK_VECTORIZE
  for (int k = 0; k < count; ++k) power[k] = a.real[k] * a.real[k] + a.imaginary[k] * a.imaginary[k];
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

static inline float CK_NAME(sum_of_lanes)(ck_eight s) {
  return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
}

// Without fused multiplications and additions, so that all processors compute the same bits.
static float CK_NAME(sum_of_squares)(const float *values, int count) {
#pragma clang fp contract(off)
  ck_eight sums = {};
  float rest = 0;
  int k = 0;
  for (; k + 8 <= count; k += 8) {
    const ck_eight eight = *(const ck_eight *)(values + k);
    sums += eight * eight;
  }
  for (; k < count; ++k) rest += values[k] * values[k];
  return CK_NAME(sum_of_lanes)(sums) + rest;
}

// The bits of magnitudes, as integers, have the same order.
static float CK_NAME(peak)(const float *values, int count) {
  ck_eight_bits peaks = {};
  int32_t peak = 0;
  int k = 0;
  for (; k + 8 <= count; k += 8) {
    const ck_eight_bits magnitudes = *(const ck_eight_bits *)(values + k) & 0x7fffffff;
    const ck_eight_bits is_larger = magnitudes > peaks;
    peaks = (magnitudes & is_larger) | (peaks & ~is_larger);
  }
  for (int part = 0; part < 8; ++part) peak = peaks[part] > peak ? peaks[part] : peak;
  for (; k < count; ++k) {
    int32_t bits;
    memcpy(&bits, values + k, 4);
    bits &= 0x7fffffff;
    peak = bits > peak ? bits : peak;
  }
  float found;
  memcpy(&found, &peak, 4);
  return found;
}

static void CK_NAME(multiply)(const float *a, const float *b, float *output, int count) {
  CK_VECTORIZE_IN_PLACE
  for (int k = 0; k < count; ++k) output[k] = a[k] * b[k];
}

static void CK_NAME(subtract)(const float *a, const float *b, float limit, float *restrict output, int count) {
  CK_VECTORIZE
  for (int k = 0; k < count; ++k) {
    float difference = a[k] - b[k];
    difference = difference > -limit ? difference : -limit;
    output[k] = difference < limit ? difference : limit;
  }
}

static void CK_NAME(smooth_cross)(ck_complex a, ck_complex b, float rate, ck_mutable_complex mean, int count) {
  float *restrict real = mean.real, *restrict imaginary = mean.imaginary;
  CK_VECTORIZE
  for (int k = 0; k < count; ++k) {
    const float p = a.real[k], q = a.imaginary[k], r = b.real[k], s = b.imaginary[k];
    real[k] += rate * (p * r + q * s - real[k]);
    imaginary[k] += rate * (q * r - p * s - imaginary[k]);
  }
}

static void CK_NAME(correlate)(const float *a, const float *b, int count, float *restrict sums, int lags) {
  for (int lag = 0; lag < lags; lag += 4) {
    ck_eight sum[4] = {};
    for (int k = 0; k < count; k += 8) {
      const ck_eight values = *(const ck_eight *)(a + k);
#pragma clang loop unroll(full)
      for (int part = 0; part < 4; ++part) sum[part] += values * *(const ck_eight *)(b + k + lag + part);
    }
#pragma clang loop unroll(full)
    for (int part = 0; part < 4; ++part) sums[lag + part] = CK_NAME(sum_of_lanes)(sum[part]);
  }
}

static void CK_NAME(filter)(const float *input, const float *coefficients, int taps, float *restrict output,
                            int count) {
  for (int k = 0; k < count; k += 8) {
    ck_eight sum = {};
    for (int tap = 0; tap < taps; ++tap) sum += coefficients[tap] * *(const ck_eight *)(input + k - tap);
    *(ck_eight *)(output + k) = sum;
  }
}

// e^x by 2^n * 2^f with a polynomial for 2^f; the relative error is below 4e-7.
static inline float CK_NAME(exp_of)(float x) {
  float y = x * 1.44269504f;
  y = y < 126.0f ? y : 126.0f;
  y = y > -126.0f ? y : -126.0f;
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

// A quotient of polynomials, fitted to the least largest error below 7.9, where the function reaches 1. The error is
// below 5e-7.
static inline float CK_NAME(tanh_of)(float x) {
  x = x < 7.9f ? x : 7.9f;
  x = x > -7.9f ? x : -7.9f;
  const float y = x * x;
  float p = -6.1404709e-9f;
  p = p * y + 7.1509791e-6f;
  p = p * y + 2.6935679e-3f;
  p = p * y + 1.2708754e-1f;
  p = p * y + 9.9999916e-1f;
  float q = 1.9645938e-4f;
  q = q * y + 2.2836160e-2f;
  q = q * y + 4.6041778e-1f;
  q = q * y + 1.0f;
  return x * p / q;
}

static inline float CK_NAME(sigmoid_of)(float x) { return 0.5f + 0.5f * CK_NAME(tanh_of)(0.5f * x); }

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

static void CK_NAME(gru)(const float *from_input, const float *from_state, float *restrict state, int count) {
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

#include "Layers.h"
#include "Partitions.h"
#include "Fourier.h"

#define CK_TABLE(title)                                                                                     \
  {                                                                                                         \
    title, CK_NAME(sum_of_products), CK_NAME(power), CK_NAME(estimate), CK_NAME(expected_error),            \
        CK_NAME(adapt), CK_NAME(layer), CK_NAME(interleave), CK_NAME(deinterleave),                         \
        CK_NAME(layer_of_column), CK_NAME(gru),                                                             \
        CK_NAME(hyperbolic_tangent), CK_NAME(sigmoid), CK_NAME(logarithm), CK_NAME(exponential),            \
        CK_NAME(sum_of_squares), CK_NAME(peak), CK_NAME(multiply), CK_NAME(subtract),                       \
        CK_NAME(smooth_cross), CK_NAME(correlate), CK_NAME(filter),                                         \
        CK_NAME(to_spectrum), CK_NAME(to_samples)                                                           \
  }
