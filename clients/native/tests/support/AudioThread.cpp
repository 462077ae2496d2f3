#include "AudioThread.h"

#include <pthread.h>

#include <chrono>

#include "Checks.h"

namespace {

struct Run {
  size_t samples;
  uint32_t rate;
  const audio_thread::Step& step;
  bool isConfined = false;
  int faults = 0;
};

// Allocates nothing, not even for its end: a thread that has used malloc waits for its locks when
// it ends.
void* runSteps(void* argument) {
  Run& run = *static_cast<Run*>(argument);
  run.isConfined = audio_thread::allowOnlyWrites();
  const audio_thread::Audio audio;
  const int before = audio_thread::forbiddenCalls();
  const auto begin = std::chrono::steady_clock::now();
  const size_t count = run.rate / 100;
  for (size_t first = 0; first + count <= run.samples; first += count) {
    run.faults += run.step(first, count);
    // Without a call that waits. The server takes a faster microphone for one that is ahead.
    const auto due = begin + std::chrono::microseconds(first * 1000000 / run.rate);
    while (std::chrono::steady_clock::now() < due) {
    }
  }
  run.faults += audio_thread::forbiddenCalls() - before;
  return nullptr;
}

}  // namespace

namespace audio_thread {

int runInRealTime(size_t samples, uint32_t rate, const Step& step) {
  Run run{samples, rate, step};
  pthread_t thread;
  // A std::thread frees memory when it ends.
  check(pthread_create(&thread, nullptr, runSteps, &run) == 0, "a thread can be made");
  pthread_join(thread, nullptr);
  check(run.isConfined, "seccomp is allowed");
  return run.faults;
}

}  // namespace audio_thread

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

namespace audio_thread {
int forbiddenCalls() { return 0; }
Audio::Audio() {}
Audio::~Audio() {}
bool allowOnlyWrites() { return true; }
}  // namespace audio_thread

#else

#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace {

thread_local bool isAudio = false;
thread_local int calls = 0;

void count() {
  if (isAudio) ++calls;
}

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

namespace audio_thread {

int forbiddenCalls() { return calls; }
Audio::Audio() { isAudio = true; }
Audio::~Audio() { isAudio = false; }

bool allowOnlyWrites() {
  // The end of a thread needs the calls after write.
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 5, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 4, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_munmap, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigprocmask, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{std::size(filter), filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace audio_thread

// The dynamic linker finds these functions before libc's.
extern "C" {

void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);

void* malloc(size_t size) { return count(), __libc_malloc(size); }
void* calloc(size_t items, size_t size) { return count(), __libc_calloc(items, size); }
void* realloc(void* memory, size_t size) { return count(), __libc_realloc(memory, size); }
void* aligned_alloc(size_t alignment, size_t size) {
  return count(), __libc_memalign(alignment, size);
}
void free(void* memory) { count(), __libc_free(memory); }

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  static const auto real = next<int(pthread_mutex_t*)>("pthread_mutex_lock");
  return count(), real(mutex);
}
int poll(pollfd* entries, nfds_t entryCount, int timeout) {
  static const auto real = next<int(pollfd*, nfds_t, int)>("poll");
  return count(), real(entries, entryCount, timeout);
}
int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  static const auto real = next<int(clockid_t, int, const timespec*, timespec*)>("clock_nanosleep");
  return count(), real(clock, flags, time, left);
}

}  // extern "C"

#endif
