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

// The events of a call, in this order: started; message for each read; half_closed at most once, in
// place of a message; cancelled at most once, at any time; ended last. The call is gone afterwards. No
// message, half_closed or write_completed follows a finish that was started.
typedef struct {
  // Returns the context for the other callbacks.
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
  // Whether the background queue serves the method, whose thread has a lower priority.
  bool is_background;
} cgrpc_method;

typedef struct {
  // "HOST:PORT", "[::1]:PORT" or "unix:PATH". Port 0 asks for any free one.
  const char *const *addresses;
  size_t address_count;
  // Of all addresses but the unix sockets; NULL for plaintext.
  const cgrpc_tls *tls;
  // Calls of any other method end with UNIMPLEMENTED.
  const cgrpc_method *methods;
  size_t method_count;
  // Not counting the background queue, which exists when a method asks for it.
  uint32_t queue_count;
  cgrpc_connection_options connection;
  cgrpc_server_limits limits;
  cgrpc_server_events events;
  void *context;
} cgrpc_server_options;

// Starts a server, which refuses compressed messages with UNIMPLEMENTED. Returns NULL on failure.
// `*failed_address` is then the index of the address that cannot be used, or address_count when the
// server failed for another reason.
cgrpc_server *cgrpc_server_start(const cgrpc_server_options *options, size_t *failed_address);

// Returns the TCP port that an address was bound to; 0 or 1 for a unix socket.
int32_t cgrpc_server_port(const cgrpc_server *server, size_t address);

// Refuses new calls, waits up to `grace_ns` for the running ones, cancels the rest, and frees the
// server. Blocks, and must not be called from a callback.
void cgrpc_server_shutdown(cgrpc_server *server, int64_t grace_ns);

// The functions below are for the call's own thread, that is, for its callbacks and timers, and not
// for after ended.

// Returns the queue that the call lives on.
cgrpc_queue *cgrpc_server_call_queue(const cgrpc_server_call *call);

// Asks for the next message. Returns whether the read was started. Ignored while another read is in
// flight and once the call is ending.
bool cgrpc_server_call_read(cgrpc_server_call *call);

// Sends a message. Returns whether the write was started. Ignored until write_completed of the write
// before, and once the call is ending.
bool cgrpc_server_call_write(cgrpc_server_call *call, cgrpc_bytes message);

// Ends the call. Returns whether the status will be sent. Ignored while a write is in flight and once
// the call is ending.
bool cgrpc_server_call_finish(cgrpc_server_call *call, cgrpc_status status,
                              cgrpc_metadata trailers);

// Cancels the call with a status, for a client that does not read. Messages that have not left yet
// and the details of the status are dropped. cancelled follows.
void cgrpc_server_call_abort(cgrpc_server_call *call, cgrpc_status status);

// Adds a header that is sent before the first message.
void cgrpc_server_call_add_initial_metadata(cgrpc_server_call *call, cgrpc_metadatum entry);

// Calls `visit` for each header of the client.
void cgrpc_server_call_visit_metadata(const cgrpc_server_call *call, void *context,
                                      void (*visit)(void *context, cgrpc_metadatum entry));

// Lends the client's address to `use`.
void cgrpc_server_call_peer(const cgrpc_server_call *call, void *context,
                            void (*use)(void *context, cgrpc_bytes peer));

// Returns the nanoseconds until the client's deadline, or CGRPC_NO_DEADLINE.
int64_t cgrpc_server_call_time_left_ns(const cgrpc_server_call *call);

#ifdef __cplusplus
}
#endif
#endif
