#ifndef CGRPC_QUEUE_H
#define CGRPC_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A completion queue and the one thread that serves it.
typedef struct cgrpc_queue cgrpc_queue;

// Creates a queue that lives as long as the process. `niceness` is the niceness of its thread. 0
// keeps the niceness of the process. Only a queue that `polls` may have calls of a client.
cgrpc_queue *cgrpc_queue_create(const char *thread_name, int32_t niceness, bool polls);

// The niceness of threads whose work must not hold back the audio.
#define CGRPC_BACKGROUND_NICENESS 5

// A timer. It calls back exactly once, on the queue's thread. `fired` is false if the timer was
// cancelled or the queue was shut down before.
typedef struct cgrpc_timer cgrpc_timer;
typedef void (*cgrpc_timer_callback)(void *context, bool fired);

// Starts a timer, from any thread. The caller has to release the timer with cgrpc_timer_release.
// Returns NULL, without a callback, if the queue has been shut down.
cgrpc_timer *cgrpc_timer_start(cgrpc_queue *queue, int64_t delay_ns, cgrpc_timer_callback callback,
                               void *context);

// Calls back on the queue's thread when the queue has no events. After each such callback, the
// queue looks for events again. If there are always events, one callback runs after every 64
// events. Call this on the queue's thread only.
cgrpc_timer *cgrpc_queue_when_idle(cgrpc_queue *queue, cgrpc_timer_callback callback, void *context);

void cgrpc_timer_cancel(cgrpc_timer *timer);
void cgrpc_timer_release(cgrpc_timer *timer);

#ifdef __cplusplus
}
#endif
#endif
