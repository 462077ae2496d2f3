#ifndef ANECHOIC_CKERNELS_H
#define ANECHOIC_CKERNELS_H

#ifdef __cplusplus
extern "C" {
#endif

// The inner loops of the adaptive filter and of the network, compiled for several processors. All arrays
// hold floats, and no output may overlap an input. Complex values are in two arrays: real and imaginary
// parts. `count` is a multiple of 16 (`ck_width`) unless said otherwise.
#define CK_WIDTH 16

typedef struct {
  const float *real;
  const float *imaginary;
} ck_complex;

typedef struct {
  float *real;
  float *imaginary;
} ck_mutable_complex;

// The state of one partition of the filter, and the reference that it filters.
typedef struct {
  ck_mutable_complex filter;
  float *uncertainty;
  ck_complex reference;
} ck_partition;

typedef struct {
  const char *name;

  // sum += a * b.
  void (*multiply_add)(ck_complex a, ck_complex b, ck_mutable_complex sum, int count);
  // power = |a|^2.
  void (*power)(ck_complex a, float *power, int count);
  // sum += |a|^2 * weight.
  void (*weigh_power)(ck_complex a, const float *weight, float *sum, int count);
  // sum += |a|^2.
  void (*add_power)(ck_complex a, float *sum, int count);
  // One step of a Kalman filter for one partition. With the gain g = uncertainty / divisor:
  //   filter += g * conj(reference) * error
  //   uncertainty = (1 - g / 2 * |reference|^2) * keep * uncertainty + growth * (|filter|^2 + level)
  void (*adapt)(ck_partition partition, ck_complex error, const float *divisor, const float *growth,
                const float *level, float keep, int count);

  // Applies a layer to `count` columns: output[row][column] = bias[row] + sum(weights[row][i] * input[i][column]).
  // `rows` is a multiple of 4. Arrays are in rows of `count`, weights in rows of `inputs`.
  void (*layer)(const float *weights, const float *bias, const float *input, float *output, int rows, int inputs,
                int count);
  // The same, with each row of inputs where `input` says, and rows of outputs `stride` apart. Rows may overlap and need
  // no alignment.
  void (*layer_of_rows)(const float *weights, const float *bias, const float *const *input, float *output,
                        int stride, int rows, int inputs, int count);

  // output[2k] = even[k], output[2k + 1] = odd[k], for k < count; and back.
  void (*interleave)(const float *even, const float *odd, float *output, int count);
  void (*deinterleave)(const float *input, float *even, float *odd, int count);

  // Applies a layer to one column: output[row] = bias[row] + sum(weights[i][row] * input[i]). Weights are in
  // rows of `rows`, a multiple of 16.
  void (*layer_of_one)(const float *weights, const float *bias, const float *input, float *output, int rows,
                       int inputs);
  // state = (1 - z) * n + z * state, with r = sigmoid(a[0] + b[0]), z = sigmoid(a[1] + b[1]) and
  // n = tanh(a[2] + r * b[2]); a and b are three arrays of `count` in a row: what the gates get from the
  // input and from the state.
  void (*gates)(const float *from_input, const float *from_state, float *state, int count);
  // These two may work in place.
  void (*hyperbolic_tangent)(const float *input, float *output, int count);
  void (*sigmoid)(const float *input, float *output, int count);
  // output = log(input + offset). Inputs are not negative.
  void (*logarithm)(const float *input, float offset, float *output, int count);
  void (*exponential)(const float *input, float *output, int count);
} ck_kernels;

// The kernels for this processor: the fastest ones that it can run.
const ck_kernels *ck_best(void);
// The kernels that this processor can run, slowest first; NULL after the last.
const ck_kernels *ck_available(int index);

#ifdef __cplusplus
}
#endif

#endif
