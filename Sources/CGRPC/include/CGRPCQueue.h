#ifndef CGRPC_QUEUE_H
#define CGRPC_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A completion queue and the one thread that serves it.
typedef struct cgrpc_queue cgrpc_queue;

// A queue that lives as long as the process. `niceness` is its thread's; 0 leaves it that of the
// process.
cgrpc_queue *cgrpc_queue_create(const char *thread_name, int32_t niceness);

// Of threads whose work must not hold back the audio's.
#define CGRPC_BACKGROUND_NICENESS 5

// A timer that calls back exactly once, on the queue's thread: with `fired` when the time has come,
// without when it was cancelled or the queue was shut down first.
typedef struct cgrpc_timer cgrpc_timer;
typedef void (*cgrpc_timer_callback)(void *context, bool fired);

// Starts a timer; from any thread. The timer belongs to the caller until cgrpc_timer_release.
// NULL when the queue has been shut down: then there is no callback.
cgrpc_timer *cgrpc_timer_start(cgrpc_queue *queue, int64_t delay_ns, cgrpc_timer_callback callback,
                               void *context);

// Calls back on the queue's thread when the queue has no events, in turn with what else waits for
// that: one callback, then the queue looks for events again. Under a load that never ends, a callback
// runs after every 64 events. Only on the queue's thread.
cgrpc_timer *cgrpc_queue_when_idle(cgrpc_queue *queue, cgrpc_timer_callback callback, void *context);

void cgrpc_timer_cancel(cgrpc_timer *timer);
void cgrpc_timer_release(cgrpc_timer *timer);

#ifdef __cplusplus
}
#endif
#endif
