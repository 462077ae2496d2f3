// For x86-64-v4: vectors of 16 for the layers of networks and for loops, of 8 otherwise, and 32 registers.
#if defined(__x86_64__)
#pragma clang attribute push( \
    __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2"))), apply_to = function)
#define CK_NAME(name) name##_avx512
#define CK_WIDEST 3
#define CK_VECTOR 16
#define CK_TILE 10
#define CK_STRIP 6
#include "Loops.h"

const ck_kernels ck_avx512 = CK_TABLE("avx512");
#pragma clang attribute pop
#endif
