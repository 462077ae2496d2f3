#ifndef CGRPC_SERVER_H
#define CGRPC_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CGRPCQueue.h"
#include "CGRPCSecurity.h"
#include "CGRPCTypes.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cgrpc_server cgrpc_server;
typedef struct cgrpc_server_call cgrpc_server_call;

// What happens to a call, in this order: started; messages, one for each read; half_closed at most
// once, in the place of a message; cancelled at most once, at any time; ended last, after which the
// call is gone.
typedef struct {
  // Returns the context that the other callbacks get.
  void *(*started)(void *server_context, cgrpc_server_call *call, size_t method);
  void (*message)(void *context, cgrpc_bytes message);
  void (*half_closed)(void *context);
  void (*write_completed)(void *context);
  void (*cancelled)(void *context);
  void (*ended)(void *context);
} cgrpc_server_events;

// One RPC that a server offers.
typedef struct {
  // "/package.Service/Method".
  const char *name;
  // Served by the background queue, whose thread has a lower priority, and not by the others.
  bool is_background;
} cgrpc_method;

typedef struct {
  // "HOST:PORT", "[::1]:PORT" or "unix:PATH". Port 0 asks for any free one.
  const char *const *addresses;
  size_t address_count;
  // For all but the unix sockets; NULL for plaintext.
  const cgrpc_tls *tls;
  // Any other method is answered UNIMPLEMENTED.
  const cgrpc_method *methods;
  size_t method_count;
  // Without the background queue, which there is when a method asks for it.
  uint32_t queue_count;
  cgrpc_connection_options connection;
  cgrpc_server_limits limits;
  cgrpc_server_events events;
  void *context;
} cgrpc_server_options;

// Starts a server, which refuses compressed messages with UNIMPLEMENTED. NULL when an address cannot be had: `*failed_address` is then its index, or
// address_count when the server failed for another reason.
cgrpc_server *cgrpc_server_start(const cgrpc_server_options *options, size_t *failed_address);

// The TCP port that an address was bound to; 0 or 1 for a unix socket.
int32_t cgrpc_server_port(const cgrpc_server *server, size_t address);

// Refuses new calls, waits for the running ones for up to `grace_ns`, cancels the rest, and frees
// the server. Blocks; not to be called from a callback.
void cgrpc_server_shutdown(cgrpc_server *server, int64_t grace_ns);

// The rest is for the call's own thread, that is, for its callbacks and timers.

cgrpc_queue *cgrpc_server_call_queue(const cgrpc_server_call *call);

// Asks for the next message. One read at a time.
void cgrpc_server_call_read(cgrpc_server_call *call);

// Sends a message. One write at a time: the next one after write_completed.
void cgrpc_server_call_write(cgrpc_server_call *call, cgrpc_bytes message);

// Ends the call. Once, and not while a write is in flight.
void cgrpc_server_call_finish(cgrpc_server_call *call, cgrpc_status status,
                              cgrpc_metadata trailers);

// Ends the call at once: what was written and has not left yet is thrown away, and so are details.
// For a client that does not read. The call is cancelled then.
void cgrpc_server_call_abort(cgrpc_server_call *call, cgrpc_status status);

// Headers to go out before the first message.
void cgrpc_server_call_add_initial_metadata(cgrpc_server_call *call, cgrpc_metadatum entry);

// Hands every header of the client to `visit`.
void cgrpc_server_call_visit_metadata(const cgrpc_server_call *call, void *context,
                                      void (*visit)(void *context, cgrpc_metadatum entry));

// The client's address; valid during the function call that it is handed to.
void cgrpc_server_call_peer(const cgrpc_server_call *call, void *context,
                            void (*use)(void *context, cgrpc_bytes peer));

// Nanoseconds until the client's deadline, or CGRPC_NO_DEADLINE.
int64_t cgrpc_server_call_time_left_ns(const cgrpc_server_call *call);

#ifdef __cplusplus
}
#endif
#endif
