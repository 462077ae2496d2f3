#ifndef C_ALLOCATION_COUNTER_H
#define C_ALLOCATION_COUNTER_H

#include <stdint.h>

// Starts to count the allocations of the calling thread, in Swift, C++ and C.
void allocation_counter_start(void);

// Returns the number of allocations since the start.
int64_t allocation_counter_stop(void);

// Returns how many bytes the calling thread allocated between start and stop and did not free. Memory from
// before the start that it freed counts as negative.
int64_t allocation_counter_bytes(void);

#endif
