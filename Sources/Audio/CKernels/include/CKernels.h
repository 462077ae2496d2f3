#ifndef ANECHOIC_CKERNELS_H
#define ANECHOIC_CKERNELS_H

#ifdef __cplusplus
extern "C" {
#endif

// The inner loops of the adaptive filter, of the network and of Fourier transforms, compiled for several processors.
// All arrays hold floats. Unless said otherwise, no output may overlap an input; a value that a comment below both reads and
// writes, such as a sum or a state, is changed in place. Complex values are in two arrays: real and imaginary parts. `count` is
// a multiple of `CK_WIDTH` unless said otherwise.
#define CK_WIDTH 8

typedef struct {
  const float *real;
  const float *imaginary;
} ck_complex;

typedef struct {
  float *real;
  float *imaginary;
} ck_mutable_complex;

// A range of `count` bins of an adaptive filter with partitions, each of which filters a later frame of the reference.
typedef struct {
  int partitions;
  int count;
  // The bins of the first partition: real parts, and `filter_distance` values later imaginary parts. The next partition
  // is twice as far away.
  float *filters;
  int filter_distance;
  // `count` values for each partition.
  float *uncertainty;
  // A ring of `partitions + 1` frames of the reference, from the newest to the oldest: `count` real parts each, then
  // imaginary parts. `newest` is the place of the newest in the ring.
  float *references;
  int newest;
} ck_band;

// Transforms of `size` real samples, 32 times a product of powers of 2, 3 and 5.
typedef struct {
  int size;
  // The roots of unity of the whole size, from the first to that of a quarter turn: real parts, then imaginary parts.
  const float *roots;
  // The roots of the passes of the complex transform of half the size. For each pass, which takes transforms of
  // `length` values apart with `ck_radix(length)`, and for each power from 1 to radix - 1: length / radix real parts,
  // then imaginary parts.
  const float *half_roots;
  // Twice `size` floats for intermediate results.
  float *memory;
} ck_fourier;

// Returns the radix of the pass that takes transforms of this length apart.
static inline int ck_radix(int length) {
  return length % 4 == 0 ? 4 : length % 2 == 0 ? 2 : length % 3 == 0 ? 3 : 5;
}

typedef struct {
  const char *name;

  // sum = a[0] * b[0] + a[1] * b[1] + ..., for `count` values from `first` on.
  void (*sum_of_products)(const ck_complex *a, const ck_complex *b, int pairs, ck_mutable_complex sum, int first,
                          int count);
  // power = |a|^2.
  void (*power)(ck_complex a, float *power, int count);

  // Three kernels for all partitions of a range of bins. The arrays hold the bins of the range.
  // echo = the sum of reference * filter, for the frame of the newest reference, or for that before it.
  void (*estimate)(const ck_band *band, int frames_ago, ck_mutable_complex echo);
  // expected = half the sum of |reference|^2 * uncertainty; level = share * the sum of |filter|^2.
  void (*expected_error)(const ck_band *band, float *expected, float share, float *level);
  // One step of a Kalman filter. With the gain g = uncertainty / divisor, for each partition:
  //   filter += g * conj(reference) * error
  //   uncertainty = (1 - g / 2 * |reference|^2) * transition * uncertainty + process_noise * (|filter|^2 + level)
  // From partition to partition the level is multiplied by `decay`.
  void (*adapt)(const ck_band *band, ck_complex error, const float *divisor, const float *process_noise,
                const float *level, float decay, float transition);

  // Applies a layer to `count` columns from `first` on:
  //   output[row][column] = bias[row] + sum(weight[row][i] * input[i][first + column])
  // `rows` is a multiple of 4. Weights are in groups of four rows: for each i, those of the four. Rows of inputs may
  // overlap; rows of outputs are `stride` apart.
  void (*layer)(const float *weights, const float *bias, const float *const *input, float *output, int stride,
                int rows, int inputs, int first, int count);

  // output[2k] = even[k], output[2k + 1] = odd[k], for k < count; and back. `count` may be any number.
  void (*interleave)(const float *even, const float *odd, float *output, int count);
  void (*deinterleave)(const float *input, float *even, float *odd, int count);

  // Applies a layer to one column: output[row] = bias[row] + sum(weights[i][row] * input[i]). Weights are in
  // rows of `rows`, a multiple of 8.
  void (*layer_of_column)(const float *weights, const float *bias, const float *input, float *output, int rows,
                          int inputs);
  // One step of a gated recurrent unit (GRU): state = (1 - z) * n + z * state, with r = sigmoid(a[0] + b[0]),
  // z = sigmoid(a[1] + b[1]) and n = tanh(a[2] + r * b[2]). a and b are three arrays of `count` in a row: the terms
  // of the gates from the input and from the state.
  void (*gru)(const float *from_input, const float *from_state, float *state, int count);
  // These two may work in place.
  void (*hyperbolic_tangent)(const float *input, float *output, int count);
  void (*sigmoid)(const float *input, float *output, int count);
  // output = log(input + offset). Inputs are not negative.
  void (*logarithm)(const float *input, float offset, float *output, int count);
  void (*exponential)(const float *input, float *output, int count);

  // The sum of the squares, with the same bits on all processors, and the largest magnitude, both of any number of values.
  float (*sum_of_squares)(const float *values, int count);
  float (*peak)(const float *values, int count);
  // output = a * b. May work in place.
  void (*multiply)(const float *a, const float *b, float *output, int count);
  // output = a - b, between -limit and limit.
  void (*subtract)(const float *a, const float *b, float limit, float *output, int count);
  // mean += rate * (a * conj(b) - mean).
  void (*smooth_cross)(ck_complex a, ck_complex b, float rate, ck_mutable_complex mean, int count);
  // sums[lag] = the sum of a[k] * b[k + lag], for lag < lags, a multiple of 4. `b` has `lags` values more.
  void (*correlate)(const float *a, const float *b, int count, float *sums, int lags);
  // output[k] = the sum of coefficients[tap] * input[k - tap].
  void (*filter)(const float *input, const float *coefficients, int taps, float *output, int count);

  // Transforms real samples into their spectrum of size / 2 + 1 bins, and back, scaled by `size`.
  void (*to_spectrum)(const ck_fourier *plan, const float *samples, ck_mutable_complex bins);
  void (*to_samples)(const ck_fourier *plan, ck_complex bins, float *samples);
} ck_kernels;

// The kernels for this processor: the fastest ones that it can run.
const ck_kernels *ck_best(void);
// The kernels that this processor can run, slowest first; NULL after the last.
const ck_kernels *ck_available(int index);

#ifdef __cplusplus
}
#endif

#endif
