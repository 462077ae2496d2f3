// Prints the results of every kernel that the first processor of a kind can run, for inputs that are always the same:
// a line for each value, "kernel value". scripts/test aarch64 compares the lines of two kinds of processors.
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "CKernels.h"

enum { COUNT = 48, PARTITIONS = 3, ROWS = 8, INPUTS = 5, SIZE = 320, BINS = SIZE / 2 + 1 };

static uint32_t state = 1;

// Returns the next of a row of numbers between -1 and 1.
static float next(void) {
  state = state * 1664525u + 1013904223u;
  return (float)(int32_t)state / 2147483648.0f;
}

static void fill(float *values, int count) {
  for (int index = 0; index < count; ++index) values[index] = next();
}

static void fill_positive(float *values, int count) {
  for (int index = 0; index < count; ++index) values[index] = fabsf(next()) + 0.01f;
}

static void print(const char *kernel, const float *values, int count) {
  for (int index = 0; index < count; ++index) printf("%s %.9g\n", kernel, values[index]);
}

// Calls `function` with an input and prints its output.
#define PRINT_MAP(function, values) \
  do { \
    kernels->function(values, output, COUNT); \
    print(#function, output, COUNT); \
  } while (0)

static void print_filter(const ck_kernels *kernels) {
  float a[4][COUNT], b[4][COUNT], output[COUNT], other[COUNT];
  for (int index = 0; index < 4; ++index) {
    fill(a[index], COUNT);
    fill(b[index], COUNT);
  }
  const ck_complex first[2] = {{a[0], a[1]}, {a[2], a[3]}};
  const ck_complex second[2] = {{b[0], b[1]}, {b[2], b[3]}};
  kernels->sum_of_products(first, second, 2, (ck_mutable_complex){output, other}, 0, COUNT);
  print("sum_of_products", output, COUNT);
  print("sum_of_products", other, COUNT);
  PRINT_MAP(power, first[0]);
}

static void print_samples(const ck_kernels *kernels) {
  float values[COUNT], others[COUNT + ROWS], sums[ROWS], output[COUNT];
  fill(values, COUNT);
  fill(others, COUNT + ROWS);
  kernels->correlate(values, others, COUNT, sums, ROWS);
  print("correlate", sums, ROWS);
  kernels->filter(others + ROWS, values, ROWS, output, COUNT);
  print("filter", output, COUNT);
  kernels->multiply(values, others, output, COUNT);
  print("multiply", output, COUNT);
  kernels->subtract(values, others, 0.5f, output, COUNT);
  print("subtract", output, COUNT);
  const float squares = kernels->sum_of_squares(values, COUNT), peak = kernels->peak(values, COUNT);
  print("sum_of_squares", &squares, 1);
  print("peak", &peak, 1);
  float means[2][COUNT];
  fill(means[0], COUNT);
  fill(means[1], COUNT);
  const ck_mutable_complex mean = {means[0], means[1]};
  kernels->smooth_cross((ck_complex){values, others}, (ck_complex){others, values}, 0.25f, mean, COUNT);
  print("smooth_cross", means[0], COUNT);
  print("smooth_cross", means[1], COUNT);
}

static void print_band(const ck_kernels *kernels) {
  float filters[2 * PARTITIONS * COUNT], uncertainty[PARTITIONS * COUNT], references[2 * (PARTITIONS + 1) * COUNT];
  float error[2][COUNT], divisor[COUNT], process_noise[COUNT], output[COUNT], other[COUNT];
  fill(filters, 2 * PARTITIONS * COUNT);
  fill_positive(uncertainty, PARTITIONS * COUNT);
  fill(references, 2 * (PARTITIONS + 1) * COUNT);
  const ck_band band = {PARTITIONS, COUNT, filters, COUNT, uncertainty, references, 2};
  for (int frames_ago = 0; frames_ago < 2; ++frames_ago) {
    kernels->estimate(&band, frames_ago, (ck_mutable_complex){output, other});
    print("estimate", output, COUNT);
    print("estimate", other, COUNT);
  }
  kernels->expected_error(&band, output, 0.1f, other);
  print("expected_error", output, COUNT);
  print("expected_error", other, COUNT);
  fill(error[0], COUNT);
  fill(error[1], COUNT);
  fill_positive(divisor, COUNT);
  fill_positive(process_noise, COUNT);
  kernels->adapt(&band, (ck_complex){error[0], error[1]}, divisor, process_noise, other, 0.9f, 0.999f);
  print("adapt", filters, 2 * PARTITIONS * COUNT);
  print("adapt", uncertainty, PARTITIONS * COUNT);
}

static void print_network(const ck_kernels *kernels) {
  float weights[ROWS * INPUTS], bias[ROWS], inputs[INPUTS][COUNT], wide[ROWS * COUNT], output[COUNT];
  fill(weights, ROWS * INPUTS);
  fill(bias, ROWS);
  const float *rows[INPUTS];
  for (int index = 0; index < INPUTS; ++index) {
    fill(inputs[index], COUNT);
    rows[index] = inputs[index];
  }
  kernels->layer(weights, bias, rows, wide, COUNT, ROWS, INPUTS, 0, COUNT);
  print("layer", wide, ROWS * COUNT);
  kernels->layer_of_column(weights, bias, inputs[0], output, ROWS, INPUTS);
  print("layer_of_column", output, ROWS);
  kernels->interleave(inputs[0], inputs[1], output, COUNT / 2);
  print("interleave", output, COUNT);
  float even[COUNT], odd[COUNT];
  kernels->deinterleave(inputs[2], even, odd, COUNT / 2);
  print("deinterleave", even, COUNT / 2);
  print("deinterleave", odd, COUNT / 2);
  float from_input[3 * COUNT], from_state[3 * COUNT];
  fill(from_input, 3 * COUNT);
  fill(from_state, 3 * COUNT);
  fill(output, COUNT);
  kernels->gru(from_input, from_state, output, COUNT);
  print("gru", output, COUNT);
  for (int index = 0; index < COUNT; ++index) inputs[3][index] *= 8;
  PRINT_MAP(hyperbolic_tangent, inputs[3]);
  PRINT_MAP(sigmoid, inputs[3]);
  PRINT_MAP(exponential, inputs[3]);
  fill_positive(inputs[4], COUNT);
  kernels->logarithm(inputs[4], 1e-7f, output, COUNT);
  print("logarithm", output, COUNT);
}

// Fills in powers of a root of unity from the `first` on: real parts, then imaginary parts.
static void fill_roots(float *roots, int first, int count, int power, int length) {
  for (int index = 0; index < count; ++index) {
    const double angle = -2 * M_PI * power * (first + index) / length;
    roots[index] = (float)cos(angle);
    roots[count + index] = (float)sin(angle);
  }
}

static void print_fourier(const ck_kernels *kernels) {
  float roots[SIZE / 2], half_roots[2 * SIZE * 2], memory[2 * SIZE];
  float samples[SIZE], real[BINS + CK_WIDTH], imaginary[BINS + CK_WIDTH], back[SIZE];
  fill_roots(roots, 1, SIZE / 4, 1, SIZE);
  float *pass = half_roots;
  for (int length = SIZE / 2; length > 1; length /= ck_radix(length)) {
    const int radix = ck_radix(length), rest = length / radix;
    for (int power = 1; power < radix; ++power, pass += 2 * rest) fill_roots(pass, 0, rest, power, length);
  }
  const ck_fourier plan = {SIZE, roots, half_roots, memory};
  fill(samples, SIZE);
  kernels->to_spectrum(&plan, samples, (ck_mutable_complex){real, imaginary});
  print("to_spectrum", real, BINS);
  print("to_spectrum", imaginary, BINS);
  kernels->to_samples(&plan, (ck_complex){real, imaginary}, back);
  print("to_samples", back, SIZE);
  for (int index = 0; index < SIZE; ++index) {
    if (fabsf(back[index] / SIZE - samples[index]) > 1e-5f) printf("to_samples is not the inverse of to_spectrum\n");
  }
}

int main(void) {
  const ck_kernels *kernels = ck_available(0);
  print_filter(kernels);
  print_samples(kernels);
  print_band(kernels);
  print_network(kernels);
  print_fourier(kernels);
  return 0;
}
