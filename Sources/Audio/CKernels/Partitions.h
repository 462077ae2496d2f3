// The loops over the partitions of an adaptive filter. They take eight bins through all partitions,
// so that what the partitions share stays in registers. Loops.h includes this file.

#define CK_INLINE static inline __attribute__((always_inline))

// A run of partitions whose references follow each other in memory.
typedef struct {
  const float *reference;
  float *filter;
  float *uncertainty;
  int partitions;
} CK_NAME(run);

// The partitions of eight bins from `bin` on, with the references of an earlier frame: from the newest of them to the
// end of the ring, and those from its start.
CK_INLINE void CK_NAME(find_runs)(const ck_band *band, int bin, int frames_ago, CK_NAME(run) runs[2]) {
  const int slots = band->partitions + 1, slot = (band->newest + frames_ago) % slots;
  const int before = slots - slot < band->partitions ? slots - slot : band->partitions;
  runs[0] = (CK_NAME(run)){band->references + 2 * slot * band->count + bin, band->filters + bin,
                           band->uncertainty + bin, before};
  runs[1] = (CK_NAME(run)){band->references + bin, runs[0].filter + 2 * before * band->filter_distance,
                           runs[0].uncertainty + before * band->count, band->partitions - before};
}

CK_INLINE ck_eight CK_NAME(eight_at)(const float *values) { return *(const ck_eight *)values; }

CK_INLINE ck_eight CK_NAME(or_zero)(ck_eight a) { return (ck_eight)((ck_eight_bits)a & (a > (ck_eight){})); }

// `wide` times eight bins of the sum of products.
CK_INLINE void CK_NAME(estimate_bins)(const int wide, const ck_band *band, int bin, int frames_ago,
                                      ck_mutable_complex echo) {
  const int distance = band->filter_distance, count = band->count;
  CK_NAME(run) runs[2];
  CK_NAME(find_runs)(band, bin, frames_ago, runs);
  ck_eight real[3] = {}, imaginary[3] = {};
  for (int part = 0; part < 2; ++part) {
    const float *x = runs[part].reference, *w = runs[part].filter;
    for (int left = runs[part].partitions; left > 0; --left, x += 2 * count, w += 2 * distance) {
#pragma clang loop unroll(full)
      for (int k = 0; k < wide; ++k) {
        const ck_eight p = CK_NAME(eight_at)(x + 8 * k), q = CK_NAME(eight_at)(x + count + 8 * k);
        const ck_eight r = CK_NAME(eight_at)(w + 8 * k), s = CK_NAME(eight_at)(w + distance + 8 * k);
        real[k] += p * r;
        real[k] -= q * s;
        imaginary[k] += p * s;
        imaginary[k] += q * r;
      }
    }
  }
#pragma clang loop unroll(full)
  for (int k = 0; k < wide; ++k) {
    *(ck_eight *)(echo.real + bin + 8 * k) = real[k];
    *(ck_eight *)(echo.imaginary + bin + 8 * k) = imaginary[k];
  }
}

static void CK_NAME(estimate)(const ck_band *band, int frames_ago, ck_mutable_complex echo) {
  int bin = 0;
  for (; bin + 8 * CK_WIDEST <= band->count; bin += 8 * CK_WIDEST) {
    CK_NAME(estimate_bins)(CK_WIDEST, band, bin, frames_ago, echo);
  }
  for (; bin < band->count; bin += 8) CK_NAME(estimate_bins)(1, band, bin, frames_ago, echo);
}

// `wide` times eight bins of the expected power of the error, and of the level.
CK_INLINE void CK_NAME(expected_error_bins)(const int wide, const ck_band *band, int bin, float *expected, float share,
                                    float *level) {
  const int distance = band->filter_distance, count = band->count;
  CK_NAME(run) runs[2];
  CK_NAME(find_runs)(band, bin, 0, runs);
  ck_eight error[3] = {}, power[3] = {};
  for (int part = 0; part < 2; ++part) {
    const float *x = runs[part].reference, *w = runs[part].filter, *u = runs[part].uncertainty;
    for (int left = runs[part].partitions; left > 0; --left, x += 2 * count, w += 2 * distance, u += count) {
#pragma clang loop unroll(full)
      for (int k = 0; k < wide; ++k) {
        const ck_eight p = CK_NAME(eight_at)(x + 8 * k), q = CK_NAME(eight_at)(x + count + 8 * k);
        const ck_eight r = CK_NAME(eight_at)(w + 8 * k), i = CK_NAME(eight_at)(w + distance + 8 * k);
        error[k] += (p * p + q * q) * CK_NAME(eight_at)(u + 8 * k);
        power[k] += r * r + i * i;
      }
    }
  }
#pragma clang loop unroll(full)
  for (int k = 0; k < wide; ++k) {
    *(ck_eight *)(expected + bin + 8 * k) = 0.5f * error[k];
    *(ck_eight *)(level + bin + 8 * k) = share * power[k];
  }
}

static void CK_NAME(expected_error)(const ck_band *band, float *expected, float share, float *level) {
  int bin = 0;
  for (; bin + 8 * CK_WIDEST <= band->count; bin += 8 * CK_WIDEST) {
    CK_NAME(expected_error_bins)(CK_WIDEST, band, bin, expected, share, level);
  }
  for (; bin < band->count; bin += 8) CK_NAME(expected_error_bins)(1, band, bin, expected, share, level);
}

static void CK_NAME(adapt)(const ck_band *band, ck_complex error, const float *divisor, const float *process_noise,
                           const float *level, float decay, float transition) {
  const int distance = band->filter_distance, count = band->count;
  for (int bin = 0; bin < count; bin += 8) {
    CK_NAME(run) runs[2];
    CK_NAME(find_runs)(band, bin, 0, runs);
    // Half the gain, times twice the error.
    const ck_eight twice = 2.0f * CK_NAME(eight_at)(divisor + bin), noise = CK_NAME(eight_at)(process_noise + bin);
    const ck_eight a = 2.0f * CK_NAME(eight_at)(error.real + bin);
    const ck_eight b = 2.0f * CK_NAME(eight_at)(error.imaginary + bin);
    ck_eight added = CK_NAME(eight_at)(level + bin);
    for (int part = 0; part < 2; ++part) {
      const float *reference = runs[part].reference;
      float *restrict filter = runs[part].filter, *restrict u = runs[part].uncertainty;
      for (int left = runs[part].partitions; left > 0; --left) {
        const ck_eight x = CK_NAME(eight_at)(reference), y = CK_NAME(eight_at)(reference + count);
        const ck_eight uncertainty = CK_NAME(eight_at)(u), half = uncertainty / twice;
        const ck_eight r = CK_NAME(eight_at)(filter) + half * (x * a + y * b);
        const ck_eight i = CK_NAME(eight_at)(filter + distance) + half * (x * b - y * a);
        const ck_eight rest = CK_NAME(or_zero)(1.0f - half * (x * x + y * y));
        *(ck_eight *)filter = r;
        *(ck_eight *)(filter + distance) = i;
        *(ck_eight *)u = rest * transition * uncertainty + noise * (r * r + i * i + added);
        added *= decay;
        reference += 2 * count;
        filter += 2 * distance;
        u += count;
      }
    }
  }
}

#undef CK_INLINE
