// For every processor that the package is compiled for.
#define CK_NAME(name) name##_baseline
#define CK_WIDEST 1
#include "Loops.h"

const ck_kernels ck_baseline = CK_TABLE("baseline");
