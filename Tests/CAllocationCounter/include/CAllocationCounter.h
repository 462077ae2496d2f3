#ifndef C_ALLOCATION_COUNTER_H
#define C_ALLOCATION_COUNTER_H

#include <stdint.h>

// Counts what the calling thread allocates, whoever asks for it: Swift, C++ or C.
void allocation_counter_start(void);

// Returns the number of allocations since the start.
int64_t allocation_counter_stop(void);

#endif
