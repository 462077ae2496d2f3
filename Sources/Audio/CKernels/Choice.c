#include "CKernels.h"

extern const ck_kernels ck_baseline;
#if defined(__x86_64__)
extern const ck_kernels ck_avx2;
extern const ck_kernels ck_avx512;
#endif

const ck_kernels *ck_available(int index) {
  const ck_kernels *found[3] = {&ck_baseline};
  int count = 1;
#if defined(__x86_64__)
  const int has_avx2 =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  if (has_avx2) found[count++] = &ck_avx2;
  if (has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")) {
    found[count++] = &ck_avx512;
  }
#endif
  return index >= 0 && index < count ? found[index] : 0;
}

const ck_kernels *ck_best(void) {
  const ck_kernels *best = ck_available(0);
  for (int index = 1; ck_available(index); ++index) best = ck_available(index);
  return best;
}
