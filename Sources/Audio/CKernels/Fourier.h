// The discrete Fourier transform of complex values, with real and imaginary parts in arrays of their own: passes of
// radix 4, then of 2, 3 and 5 where the size has these factors, that leave the values in order (T. Stockham,
// "High-Speed Convolution and Correlation", 1966). The transform of real samples takes even and odd samples for the
// real and imaginary parts of a complex transform of half the size (J. Cooley, P. Lewis and P. Welch, "The Fast
// Fourier Transform Algorithm: Programming Considerations in the Calculation of Sine, Cosine and Laplace Transforms",
// 1970). Loops.h includes this file.

#define CK_LANES 4
#define CK_LANED(name) CK_NAME(name##_of_four)
#include "Butterflies.h"
#undef CK_LANES
#undef CK_LANED
#define CK_LANES 8
#define CK_LANED(name) CK_NAME(name##_of_eight)
#include "Butterflies.h"

// Transforms `values`, and may use them for intermediate results. Returns where the result is: there or in `others`.
static ck_mutable_complex CK_NAME(transform)(int size, const float *roots, ck_mutable_complex values,
                                             ck_mutable_complex others) {
  (size % 32 == 0 ? CK_NAME(first_pass_of_eight) : CK_NAME(first_pass_of_four))(
      (ck_complex){values.real, values.imaginary}, others, size, roots);
  roots += 6 * (size / 4);
  for (int length = size / 4, stride = 4; length > 1;) {
    const int radix = ck_radix(length);
    const ck_mutable_complex source = others;
    (stride % 8 == 0 ? CK_NAME(any_pass_of_eight) : CK_NAME(any_pass_of_four))(
        radix, (ck_complex){source.real, source.imaginary}, values, length, stride, roots);
    others = values;
    values = source;
    roots += 2 * (radix - 1) * (length / radix);
    length /= radix;
    stride *= radix;
  }
  return others;
}

static inline ck_eight CK_NAME(reversed)(ck_eight a) {
  return __builtin_shufflevector(a, a, 7, 6, 5, 4, 3, 2, 1, 0);
}

typedef CK_NAME(values_of_eight) CK_NAME(eight);

// Twice the parts of a spectrum that belong to the real and to the imaginary parts of the samples: for eight bins from
// `low` on, and their mirror images from `high` on.
static inline __attribute__((always_inline)) void CK_NAME(split)(ck_complex values, int low, int high,
                                                                 CK_NAME(eight) * even, CK_NAME(eight) * odd) {
  const CK_NAME(eight) left = CK_NAME(load_of_eight)(values, low);
  const CK_NAME(eight) right = CK_NAME(load_of_eight)(values, high);
  const CK_NAME(eight) mirrored = {CK_NAME(reversed)(right.real), -CK_NAME(reversed)(right.imaginary)};
  *even = CK_NAME(sum_of_eight)(left, mirrored);
  *odd = CK_NAME(difference_of_eight)(left, mirrored);
}

static inline __attribute__((always_inline)) void CK_NAME(store_mirrored)(CK_NAME(eight) values,
                                                                          ck_mutable_complex to, int index) {
  const CK_NAME(eight) mirrored = {CK_NAME(reversed)(values.real), -CK_NAME(reversed)(values.imaginary)};
  CK_NAME(store_of_eight)(mirrored, to, index);
}

static void CK_NAME(to_spectrum)(const ck_fourier *plan, const float *samples, ck_mutable_complex bins) {
  const int count = plan->size / 2, quarter = plan->size / 4;
  const ck_mutable_complex input = {plan->memory, plan->memory + count};
  const ck_mutable_complex output = {plan->memory + 2 * count, plan->memory + 3 * count};
  CK_NAME(deinterleave)(samples, input.real, input.imaginary, count);
  const ck_mutable_complex result = CK_NAME(transform)(count, plan->half_roots, input, output);
  const ck_complex found = {result.real, result.imaginary};
  bins.real[0] = found.real[0] + found.imaginary[0];
  bins.imaginary[0] = 0;
  bins.real[count] = found.real[0] - found.imaginary[0];
  bins.imaginary[count] = 0;
  for (int index = 0; index < quarter; index += 8) {
    const int low = index + 1, high = count - index - 8;
    const CK_NAME(eight) root = CK_NAME(load_of_eight)((ck_complex){plan->roots, plan->roots + quarter}, index);
    CK_NAME(eight) even, odd;
    CK_NAME(split)(found, low, high, &even, &odd);
    // The spectrum of the odd samples is that difference, divided by 2i.
    const CK_NAME(eight) turned = CK_NAME(turned_of_eight)(CK_NAME(turned_back_of_eight)(odd), root);
    CK_NAME(store_of_eight)(CK_NAME(scaled_of_eight)(0.5f, CK_NAME(sum_of_eight)(even, turned)), bins, low);
    CK_NAME(store_mirrored)(CK_NAME(scaled_of_eight)(0.5f, CK_NAME(difference_of_eight)(even, turned)), bins, high);
  }
}

static void CK_NAME(to_samples)(const ck_fourier *plan, ck_complex bins, float *samples) {
  const int count = plan->size / 2, quarter = plan->size / 4;
  const ck_mutable_complex input = {plan->memory, plan->memory + count};
  const ck_mutable_complex output = {plan->memory + 2 * count, plan->memory + 3 * count};
  input.real[0] = bins.real[0] + bins.real[count];
  input.imaginary[0] = bins.real[0] - bins.real[count];
  for (int index = 0; index < quarter; index += 8) {
    const int low = index + 1, high = count - index - 8;
    const CK_NAME(eight) root = CK_NAME(load_of_eight)((ck_complex){plan->roots, plan->roots + quarter}, index);
    CK_NAME(eight) even, odd;
    CK_NAME(split)(bins, low, high, &even, &odd);
    const CK_NAME(eight) back = CK_NAME(turned_of_eight)(odd, (CK_NAME(eight)){root.real, -root.imaginary});
    const CK_NAME(eight) turned = {-back.imaginary, back.real};
    CK_NAME(store_of_eight)(CK_NAME(sum_of_eight)(even, turned), input, low);
    CK_NAME(store_mirrored)(CK_NAME(difference_of_eight)(even, turned), input, high);
  }
  // Values whose two parts are exchanged are transformed back.
  const ck_mutable_complex result = CK_NAME(transform)(
      count, plan->half_roots, (ck_mutable_complex){input.imaginary, input.real},
      (ck_mutable_complex){output.imaginary, output.real});
  CK_NAME(interleave)(result.imaginary, result.real, samples, count);
}
