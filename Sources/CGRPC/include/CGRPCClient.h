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

// The events of a call: initial_metadata before the first message; message for each read;
// write_completed for each write; ended last. The call is gone afterwards. A message may also come
// without a read, just before ended.
typedef struct {
  void (*initial_metadata)(void *context, cgrpc_metadata metadata);
  void (*message)(void *context, cgrpc_bytes message);
  void (*write_completed)(void *context, bool ok);
  void (*ended)(void *context, cgrpc_status status, cgrpc_metadata trailers);
} cgrpc_client_events;

// Creates a channel to "HOST:PORT" or "unix:PATH", which connects when a call needs it. A unix socket
// is always plaintext; so is the other where `tls` is NULL.
cgrpc_channel *cgrpc_channel_create(const char *target, cgrpc_connection_options options,
                                    const cgrpc_tls *tls);
void cgrpc_channel_destroy(cgrpc_channel *channel);

// Starts a call of any shape. The caller reads and writes as the method demands. `timeout_ns` is
// CGRPC_NO_DEADLINE for none.
cgrpc_client_call *cgrpc_client_call_start(cgrpc_channel *channel, cgrpc_queue *queue,
                                           const char *method, cgrpc_metadata metadata,
                                           int64_t timeout_ns, cgrpc_client_events events,
                                           void *context);

// The functions below may be called from any thread, but not after ended. Each returns whether it
// was started. Ignored, with false as the answer, are: a read while another one is in flight; a write
// or half-close while a write is in flight or after a half-close; and all of them once the call is
// ending.
bool cgrpc_client_call_read(cgrpc_client_call *call);
bool cgrpc_client_call_write(cgrpc_client_call *call, cgrpc_bytes message);
bool cgrpc_client_call_half_close(cgrpc_client_call *call);

// Cancels the call. ended follows.
void cgrpc_client_call_cancel(cgrpc_client_call *call);

#ifdef __cplusplus
}
#endif
#endif
