// The passes of the discrete Fourier transform, for `CK_LANES` (4 or 8) neighbouring complex values at a time. Loops.h
// includes this file for each number of lanes, with `CK_LANED(x)` as the names that the functions get.

typedef float CK_LANED(floats) __attribute__((vector_size(4 * CK_LANES), aligned(4), may_alias));

typedef struct {
  CK_LANED(floats) real;
  CK_LANED(floats) imaginary;
} CK_LANED(values);

#define V CK_LANED(floats)
#define C CK_LANED(values)
#define CK_INLINE static inline __attribute__((always_inline))

CK_INLINE C CK_LANED(load)(ck_complex from, int index) {
  return (C){*(const V *)(from.real + index), *(const V *)(from.imaginary + index)};
}

CK_INLINE void CK_LANED(store)(C values, ck_mutable_complex to, int index) {
  *(V *)(to.real + index) = values.real;
  *(V *)(to.imaginary + index) = values.imaginary;
}

CK_INLINE C CK_LANED(sum)(C a, C b) { return (C){a.real + b.real, a.imaginary + b.imaginary}; }

CK_INLINE C CK_LANED(difference)(C a, C b) { return (C){a.real - b.real, a.imaginary - b.imaginary}; }

CK_INLINE C CK_LANED(scaled)(float factor, C a) { return (C){factor * a.real, factor * a.imaginary}; }

// Times -i.
CK_INLINE C CK_LANED(turned_back)(C a) { return (C){a.imaginary, -a.real}; }

CK_INLINE C CK_LANED(turned)(C a, C root) {
  return (C){a.real * root.real - a.imaginary * root.imaginary, a.real * root.imaginary + a.imaginary * root.real};
}

CK_INLINE C CK_LANED(turned_by_one)(C a, float real, float imaginary) {
  return (C){a.real * real - a.imaginary * imaginary, a.real * imaginary + a.imaginary * real};
}

CK_INLINE void CK_LANED(butterfly_of_four)(C *a) {
  const C even = CK_LANED(sum)(a[0], a[2]), odd = CK_LANED(sum)(a[1], a[3]);
  const C left = CK_LANED(difference)(a[0], a[2]);
  const C right = CK_LANED(turned_back)(CK_LANED(difference)(a[1], a[3]));
  a[0] = CK_LANED(sum)(even, odd);
  a[1] = CK_LANED(sum)(left, right);
  a[2] = CK_LANED(difference)(even, odd);
  a[3] = CK_LANED(difference)(left, right);
}

CK_INLINE void CK_LANED(butterfly_of_two)(C *a) {
  const C sum = CK_LANED(sum)(a[0], a[1]);
  a[1] = CK_LANED(difference)(a[0], a[1]);
  a[0] = sum;
}

CK_INLINE void CK_LANED(butterfly_of_three)(C *a) {
  const C sum = CK_LANED(sum)(a[1], a[2]);
  const C middle = CK_LANED(difference)(a[0], CK_LANED(scaled)(0.5f, sum));
  const C turned = CK_LANED(scaled)(0.8660254f, CK_LANED(turned_back)(CK_LANED(difference)(a[1], a[2])));
  a[0] = CK_LANED(sum)(a[0], sum);
  a[1] = CK_LANED(sum)(middle, turned);
  a[2] = CK_LANED(difference)(middle, turned);
}

// The numbers are the cosines and sines of 72 and 144 degrees.
CK_INLINE void CK_LANED(butterfly_of_five)(C *a) {
  const C outer = CK_LANED(sum)(a[1], a[4]), inner = CK_LANED(sum)(a[2], a[3]);
  const C outer_turned = CK_LANED(turned_back)(CK_LANED(difference)(a[1], a[4]));
  const C inner_turned = CK_LANED(turned_back)(CK_LANED(difference)(a[2], a[3]));
  const C first = {a[0].real + 0.30901699f * outer.real - 0.80901699f * inner.real,
                   a[0].imaginary + 0.30901699f * outer.imaginary - 0.80901699f * inner.imaginary};
  const C second = {a[0].real - 0.80901699f * outer.real + 0.30901699f * inner.real,
                    a[0].imaginary - 0.80901699f * outer.imaginary + 0.30901699f * inner.imaginary};
  const C first_turned = {0.95105652f * outer_turned.real + 0.58778525f * inner_turned.real,
                          0.95105652f * outer_turned.imaginary + 0.58778525f * inner_turned.imaginary};
  const C second_turned = {0.58778525f * outer_turned.real - 0.95105652f * inner_turned.real,
                           0.58778525f * outer_turned.imaginary - 0.95105652f * inner_turned.imaginary};
  a[0] = CK_LANED(sum)(a[0], CK_LANED(sum)(outer, inner));
  a[1] = CK_LANED(sum)(first, first_turned);
  a[2] = CK_LANED(sum)(second, second_turned);
  a[3] = CK_LANED(difference)(second, second_turned);
  a[4] = CK_LANED(difference)(first, first_turned);
}

// Four rows become one, in which the first values of the rows come first, then the second values.
CK_INLINE void CK_LANED(interleave_four)(V a, V b, V c, V d, float *to) {
#if CK_LANES == 4
  const V low = __builtin_shufflevector(a, b, 0, 4, 1, 5), high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const V lower = __builtin_shufflevector(c, d, 0, 4, 1, 5), higher = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  *(V *)to = __builtin_shufflevector(low, lower, 0, 1, 4, 5);
  *(V *)(to + 4) = __builtin_shufflevector(low, lower, 2, 3, 6, 7);
  *(V *)(to + 8) = __builtin_shufflevector(high, higher, 0, 1, 4, 5);
  *(V *)(to + 12) = __builtin_shufflevector(high, higher, 2, 3, 6, 7);
#else
  const V low = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
  const V high = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
  const V lower = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13);
  const V higher = __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
  const V first = __builtin_shufflevector(low, lower, 0, 1, 8, 9, 4, 5, 12, 13);
  const V second = __builtin_shufflevector(low, lower, 2, 3, 10, 11, 6, 7, 14, 15);
  const V third = __builtin_shufflevector(high, higher, 0, 1, 8, 9, 4, 5, 12, 13);
  const V fourth = __builtin_shufflevector(high, higher, 2, 3, 10, 11, 6, 7, 14, 15);
  *(V *)to = __builtin_shufflevector(first, second, 0, 1, 2, 3, 8, 9, 10, 11);
  *(V *)(to + 8) = __builtin_shufflevector(third, fourth, 0, 1, 2, 3, 8, 9, 10, 11);
  *(V *)(to + 16) = __builtin_shufflevector(first, second, 4, 5, 6, 7, 12, 13, 14, 15);
  *(V *)(to + 24) = __builtin_shufflevector(third, fourth, 4, 5, 6, 7, 12, 13, 14, 15);
#endif
}

// The first pass, of radix 4. The four results of each butterfly come together.
static void CK_LANED(first_pass)(ck_complex source, ck_mutable_complex target, int size, const float *roots) {
  const int quarter = size / 4;
  for (int index = 0; index < quarter; index += CK_LANES) {
    C a[4];
#pragma clang loop unroll(full)
    for (int k = 0; k < 4; ++k) a[k] = CK_LANED(load)(source, index + k * quarter);
    CK_LANED(butterfly_of_four)(a);
#pragma clang loop unroll(full)
    for (int k = 1; k < 4; ++k) {
      const float *from = roots + 2 * (k - 1) * quarter + index;
      a[k] = CK_LANED(turned)(a[k], (C){*(const V *)from, *(const V *)(from + quarter)});
    }
    CK_LANED(interleave_four)(a[0].real, a[1].real, a[2].real, a[3].real, target.real + 4 * index);
    CK_LANED(interleave_four)(a[0].imaginary, a[1].imaginary, a[2].imaginary, a[3].imaginary,
                              target.imaginary + 4 * index);
  }
}

// `stride` butterflies with the same roots at each place.
CK_INLINE void CK_LANED(pass)(const int radix, ck_complex source, ck_mutable_complex target, int length, int stride,
                              const float *roots) {
  const int part = length / radix;
  for (int place = 0; place < part; ++place) {
    for (int index = 0; index < stride; index += CK_LANES) {
      const int from = stride * place + index, to = radix * stride * place + index;
      C a[5];
#pragma clang loop unroll(full)
      for (int k = 0; k < radix; ++k) a[k] = CK_LANED(load)(source, from + k * stride * part);
      if (radix == 4) CK_LANED(butterfly_of_four)(a);
      if (radix == 2) CK_LANED(butterfly_of_two)(a);
      if (radix == 3) CK_LANED(butterfly_of_three)(a);
      if (radix == 5) CK_LANED(butterfly_of_five)(a);
      CK_LANED(store)(a[0], target, to);
#pragma clang loop unroll(full)
      for (int k = 1; k < radix; ++k) {
        const float *root = roots + 2 * (k - 1) * part + place;
        CK_LANED(store)(CK_LANED(turned_by_one)(a[k], root[0], root[part]), target, to + k * stride);
      }
    }
  }
}

static void CK_LANED(any_pass)(int radix, ck_complex source, ck_mutable_complex target, int length, int stride,
                               const float *roots) {
  switch (radix) {
    case 4: CK_LANED(pass)(4, source, target, length, stride, roots); break;
    case 2: CK_LANED(pass)(2, source, target, length, stride, roots); break;
    case 3: CK_LANED(pass)(3, source, target, length, stride, roots); break;
    default: CK_LANED(pass)(5, source, target, length, stride, roots);
  }
}

#undef V
#undef C
#undef CK_INLINE
