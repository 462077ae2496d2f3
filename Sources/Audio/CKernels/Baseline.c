// For every processor that the package is compiled for.
#define CK_NAME(name) name##_baseline
#define CK_WIDEST 1
#define CK_VECTOR 8
#if defined(__aarch64__)
#define CK_TILE 2
#else
#define CK_TILE 1
#endif
#define CK_STRIP 8
#include "Loops.h"

const ck_kernels ck_baseline = CK_TABLE("baseline");
