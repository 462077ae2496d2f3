#include "CAllocationCounter.h"

#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>

static __thread bool is_counting;
static __thread int64_t count;
static __thread int64_t bytes;

void allocation_counter_start(void) {
  count = 0;
  bytes = 0;
  is_counting = true;
}

int64_t allocation_counter_stop(void) {
  is_counting = false;
  return count;
}

int64_t allocation_counter_bytes(void) { return bytes; }

// Counts nothing under a sanitizer, which has a malloc of its own. scripts/test sanitize leaves these
// tests out.
#if !__has_feature(thread_sanitizer) && !__has_feature(address_sanitizer)

// A malloc in the program replaces glibc's for all of its libraries. glibc's functions are still
// available by these names.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *memory);

static void *noted(void *memory) {
  if (is_counting) {
    ++count;
    bytes += malloc_usable_size(memory);
  }
  return memory;
}

static void note_end(void *memory) {
  if (is_counting) bytes -= malloc_usable_size(memory);
}

void *malloc(size_t size) { return noted(__libc_malloc(size)); }

void *calloc(size_t number, size_t size) { return noted(__libc_calloc(number, size)); }

void *realloc(void *old, size_t size) {
  note_end(old);
  return noted(__libc_realloc(old, size));
}

void free(void *memory) {
  note_end(memory);
  __libc_free(memory);
}

void *memalign(size_t alignment, size_t size) { return noted(__libc_memalign(alignment, size)); }

void *aligned_alloc(size_t alignment, size_t size) {
  return noted(__libc_memalign(alignment, size));
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  void *memory = noted(__libc_memalign(alignment, size));
  if (memory == NULL) return ENOMEM;
  *result = memory;
  return 0;
}

#endif
