#include "profile_reader.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define READER_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define READER_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "the system calls of this architecture are not known"
#endif

#define LOAD(field) \
  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ALLOW(call)                                          \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 1), \
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static int filter_calls(void) {
  struct sock_filter filter[] = {
      LOAD(arch),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, READER_ARCHITECTURE, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      LOAD(nr),
      ALLOW(read),
      ALLOW(write),
      ALLOW(brk),
      ALLOW(mmap),
      ALLOW(munmap),
      ALLOW(mremap),
      ALLOW(madvise),
      ALLOW(futex),
      ALLOW(exit),
      ALLOW(exit_group),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int limit(int resource, rlim_t value) {
  struct rlimit limit = {value, value};
  return setrlimit(resource, &limit);
}

/* Returns the address space that the process uses, in bytes, or 0. */
static size_t used_memory(void) {
  unsigned long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file) return 0;
  if (fscanf(file, "%lu", &pages) != 1) pages = 0;
  fclose(file);
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}

int profile_reader_limit(size_t memory, unsigned seconds, size_t output) {
  size_t used = used_memory();
  if (used == 0) return -1;
  if (limit(RLIMIT_AS, used + memory) != 0 || limit(RLIMIT_CPU, seconds) != 0 ||
      limit(RLIMIT_FSIZE, output) != 0 || limit(RLIMIT_CORE, 0) != 0 ||
      limit(RLIMIT_NOFILE, 0) != 0 || limit(RLIMIT_NPROC, 0) != 0)
    return -1;
  return filter_calls();
}
