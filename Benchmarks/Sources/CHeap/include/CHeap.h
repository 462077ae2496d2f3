#ifndef CHEAP_H
#define CHEAP_H

#include <stddef.h>

// Returns the bytes that the program has allocated and not freed, with the allocator's own overhead.
size_t heap_bytes_in_use(void);

#endif
