// Tells ThreadSanitizer what happens before what in libraries that are not built with it. Loaded by
// scripts/test sanitize with LD_PRELOAD.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <grpc/grpc.h>
#include <grpc/impl/codegen/grpc_types.h>
#include <stdint.h>

// ThreadSanitizer's, in the program; absent elsewhere.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

// Calls the library's own function of the same name.
#define NEXT(function) ((__typeof__(&function))dlsym(RTLD_NEXT, #function))

// MARK: libgrpc's completion queues

// All that a thread did before it started an operation happens before the thread that takes the
// operation's tag from the queue goes on.

static void started(void *tag) {
  if (tag && __tsan_release) __tsan_release(tag);
}

static grpc_event taken(grpc_event event) {
  if (event.type == GRPC_OP_COMPLETE && event.tag && __tsan_acquire) __tsan_acquire(event.tag);
  return event;
}

grpc_call_error grpc_call_start_batch(grpc_call *call, const grpc_op *ops, size_t count, void *tag,
                                      void *reserved) {
  started(tag);
  return NEXT(grpc_call_start_batch)(call, ops, count, tag, reserved);
}

grpc_call_error grpc_server_request_registered_call(
    grpc_server *server, void *method, grpc_call **call, gpr_timespec *deadline,
    grpc_metadata_array *metadata, grpc_byte_buffer **payload, grpc_completion_queue *bound,
    grpc_completion_queue *notified, void *tag) {
  started(tag);
  return NEXT(grpc_server_request_registered_call)(server, method, call, deadline, metadata, payload,
                                                   bound, notified, tag);
}

// Of alarms; a C++ function of libgrpc that libgrpc++ calls.
#define BEGIN "_Z16grpc_cq_begin_opP21grpc_completion_queuePv"

_Bool begin(grpc_completion_queue *queue, void *tag) __asm__(BEGIN);

_Bool begin(grpc_completion_queue *queue, void *tag) {
  started(tag);
  return ((_Bool(*)(grpc_completion_queue *, void *))dlsym(RTLD_NEXT, BEGIN))(queue, tag);
}

grpc_event grpc_completion_queue_next(grpc_completion_queue *queue, gpr_timespec deadline,
                                      void *reserved) {
  return taken(NEXT(grpc_completion_queue_next)(queue, deadline, reserved));
}

grpc_event grpc_completion_queue_pluck(grpc_completion_queue *queue, void *tag,
                                       gpr_timespec deadline, void *reserved) {
  return taken(NEXT(grpc_completion_queue_pluck)(queue, tag, deadline, reserved));
}

// MARK: Swift's Mutex

// The code that a program inlines is seen. Where threads meet, the Synchronization library is called.

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SWIFT __attribute__((swiftcall))

typedef SWIFT void (*Lock)(uint32_t thread, __attribute__((swift_context)) void *mutex);
typedef SWIFT void (*Unlock)(__attribute__((swift_context)) void *mutex);

SWIFT void lock(uint32_t thread, __attribute__((swift_context)) void *mutex) __asm__(LOCK);
SWIFT void unlock(__attribute__((swift_context)) void *mutex) __asm__(UNLOCK);

SWIFT void lock(uint32_t thread, __attribute__((swift_context)) void *mutex) {
  ((Lock)dlsym(RTLD_NEXT, LOCK))(thread, mutex);
  if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT void unlock(__attribute__((swift_context)) void *mutex) {
  if (__tsan_release) __tsan_release(mutex);
  ((Unlock)dlsym(RTLD_NEXT, UNLOCK))(mutex);
}
