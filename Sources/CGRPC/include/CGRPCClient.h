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

// What happens to a call: initial_metadata before the first message; messages, one for each read; write_completed for each write; ended last,
// after which the call is gone. `message` may also come unasked just before `ended`.
typedef struct {
  void (*initial_metadata)(void *context, cgrpc_metadata metadata);
  void (*message)(void *context, cgrpc_bytes message);
  void (*write_completed)(void *context, bool ok);
  void (*ended)(void *context, cgrpc_status status, cgrpc_metadata trailers);
} cgrpc_client_events;

// A lazily connected channel to "HOST:PORT" or "unix:PATH"; plaintext to the latter, and to both
// where `tls` is NULL.
cgrpc_channel *cgrpc_channel_create(const char *target, cgrpc_connection_options options,
                                    const cgrpc_tls *tls);
void cgrpc_channel_destroy(cgrpc_channel *channel);

// Starts a call of any shape: the caller reads and writes as the method demands.
// `timeout_ns` is CGRPC_NO_DEADLINE for none.
cgrpc_client_call *cgrpc_client_call_start(cgrpc_channel *channel, cgrpc_queue *queue,
                                           const char *method, cgrpc_metadata metadata,
                                           int64_t timeout_ns, cgrpc_client_events events,
                                           void *context);

// These may be called from any thread, but not after `ended`. One read and one write at a time;
// half_close counts as a write.
void cgrpc_client_call_read(cgrpc_client_call *call);
void cgrpc_client_call_write(cgrpc_client_call *call, cgrpc_bytes message);
void cgrpc_client_call_half_close(cgrpc_client_call *call);
void cgrpc_client_call_cancel(cgrpc_client_call *call);

#ifdef __cplusplus
}
#endif
#endif
