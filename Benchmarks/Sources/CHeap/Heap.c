#include "CHeap.h"

#include <malloc.h>

size_t heap_bytes_in_use(void) {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;  // on the heap, and mapped one by one
}
