// For x86-64-v3: vectors of 8, and multiplications with addition.
#if defined(__x86_64__)
#pragma clang attribute push(__attribute__((target("avx2,fma,bmi2"))), apply_to = function)
#define CK_NAME(name) name##_avx2
#define CK_WIDEST 3
#define CK_VECTOR 8
#define CK_TILE 3
#define CK_STRIP 8
#include "Loops.h"

const ck_kernels ck_avx2 = CK_TABLE("avx2");
#pragma clang attribute pop
#endif
