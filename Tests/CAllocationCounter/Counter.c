#include "CAllocationCounter.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

static __thread bool is_counting;
static __thread int64_t count;

void allocation_counter_start(void) {
  count = 0;
  is_counting = true;
}

int64_t allocation_counter_stop(void) {
  is_counting = false;
  return count;
}

// Counts nothing under a sanitizer, which has a malloc of its own. scripts/sanitize leaves these
// tests out.
#if !__has_feature(thread_sanitizer) && !__has_feature(address_sanitizer)

// A malloc in the program replaces glibc's for all of its libraries. glibc's functions are still
// available by these names.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static void note(void) {
  if (is_counting) ++count;
}

void *malloc(size_t size) {
  note();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  note();
  return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
  note();
  return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
  note();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  note();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  note();
  void *memory = __libc_memalign(alignment, size);
  if (memory == NULL) return ENOMEM;
  *result = memory;
  return 0;
}

#endif
