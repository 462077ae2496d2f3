#ifndef CGRPC_CLIENT_H
#define CGRPC_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "CGRPCQueue.h"
#include "CGRPCSecurity.h"
#include "CGRPCTypes.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cgrpc_channel cgrpc_channel;
typedef struct cgrpc_client_call cgrpc_client_call;

// The events of a call: initial_metadata before the first message, message for each read,
// write_completed for each write, and ended last. The call no longer exists after ended. A message
// may also come without a read, just before ended.
typedef struct {
  void (*initial_metadata)(void *context, cgrpc_metadata metadata);
  void (*message)(void *context, cgrpc_bytes message);
  void (*write_completed)(void *context, bool ok);
  void (*ended)(void *context, cgrpc_status status, cgrpc_metadata trailers);
} cgrpc_client_events;

// Creates a channel to "HOST:PORT" or "unix:PATH". It connects when a call needs it. A unix socket
// is always plaintext. A host is plaintext if `tls` is NULL.
cgrpc_channel *cgrpc_channel_create(const char *target, cgrpc_connection_options options,
                                    const cgrpc_tls *tls);
void cgrpc_channel_destroy(cgrpc_channel *channel);

// Starts a call of any shape. The caller reads and writes as the method requires. `timeout_ns` is
// the deadline in nanoseconds from now, or CGRPC_NO_DEADLINE.
cgrpc_client_call *cgrpc_client_call_start(cgrpc_channel *channel, cgrpc_queue *queue,
                                           const char *method, cgrpc_metadata metadata,
                                           int64_t timeout_ns, cgrpc_client_events events,
                                           void *context);

// The functions below may be called from any thread, but not after ended. Each returns whether the
// operation was started. A read is not started while another read is in flight. A write or a
// half-close is not started while a write is in flight or after a half-close. Nothing is started
// once the call is ending.
bool cgrpc_client_call_read(cgrpc_client_call *call);
bool cgrpc_client_call_write(cgrpc_client_call *call, cgrpc_bytes message);
bool cgrpc_client_call_half_close(cgrpc_client_call *call);

// Cancels the call. ended follows.
void cgrpc_client_call_cancel(cgrpc_client_call *call);

#ifdef __cplusplus
}
#endif
#endif
