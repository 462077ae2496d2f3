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

// The events of a call, in this order: started, message for each read, half_closed at most once
// instead of a message, and ended last. cancelled may come at most once, at any time. The call no
// longer exists after ended. No message, half_closed or write_completed follows a finish that was
// started.
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
  // "HOST:PORT", "[::1]:PORT" or "unix:PATH". Port 0 asks for any free port.
  const char *const *addresses;
  size_t address_count;
  // The security of all addresses except unix sockets. NULL for plaintext.
  const cgrpc_tls *tls;
  // Calls of any other method end with UNIMPLEMENTED.
  const cgrpc_method *methods;
  size_t method_count;
  // The number of queues, without the background queue, which exists if a method asks for it.
  uint32_t queue_count;
  // Whether each event after a silence may wait for up to 20 ms while other servers of the process have
  // calls, to spare the processor.
  bool is_spare;
  cgrpc_connection_options connection;
  cgrpc_server_limits limits;
  cgrpc_server_events events;
  void *context;
} cgrpc_server_options;

// Starts a server, which refuses compressed messages with UNIMPLEMENTED. Returns NULL on failure.
// Then `*failed_address` is the index of the address that cannot be used, or address_count if the
// server failed for another reason.
cgrpc_server *cgrpc_server_start(const cgrpc_server_options *options, size_t *failed_address);

// Returns the TCP port that an address was bound to, or 0 or 1 for a unix socket.
int32_t cgrpc_server_port(const cgrpc_server *server, size_t address);

// Uses other certificates for connections that begin from now on. Running connections keep theirs.
// Whether clients have to show a certificate does not change. Nothing happens if the server is
// plaintext. Check the PEM first.
void cgrpc_server_set_tls(cgrpc_server *server, const cgrpc_tls *tls);

// Refuses new calls, waits up to `grace_ns` for the running ones, cancels the rest, and frees the
// server. Blocks, and must not be called from a callback.
void cgrpc_server_shutdown(cgrpc_server *server, int64_t grace_ns);

// Counts a call of the method with this index that does not come over gRPC. Returns the queue that the
// call lives on: the one with the fewest calls. Its timers are the call's timers. Must not be called
// once the shutdown has begun, which waits for the end of the call.
cgrpc_queue *cgrpc_server_enter(cgrpc_server *server, size_t method);

// Records the end of a call that cgrpc_server_enter has counted. The caller touches neither the server
// nor the queue afterwards.
void cgrpc_server_leave(cgrpc_server *server, cgrpc_queue *queue);

// Call the functions below on the call's own thread only, that is, in its callbacks and timers, and
// not after ended.

// Returns the queue that the call lives on.
cgrpc_queue *cgrpc_server_call_queue(const cgrpc_server_call *call);

// Asks for the next message. Returns whether the read was started. It is not started while another
// read is in flight or once the call is ending.
bool cgrpc_server_call_read(cgrpc_server_call *call);

// Sends a message. Returns whether the write was started. It is not started before write_completed
// of the previous write, or once the call is ending.
bool cgrpc_server_call_write(cgrpc_server_call *call, cgrpc_bytes message);

// Ends the call. Returns whether the status will be sent. It is not sent while a write is in flight
// or once the call is ending.
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

// Calls `visit` for each property that the transport has verified about the client, such as
// "x509_common_name". There are none unless the client has shown a certificate of a trusted
// authority.
void cgrpc_server_call_visit_peer_properties(const cgrpc_server_call *call, void *context,
                                             void (*visit)(void *context, cgrpc_metadatum entry));

// Returns the nanoseconds until the client's deadline, or CGRPC_NO_DEADLINE.
int64_t cgrpc_server_call_time_left_ns(const cgrpc_server_call *call);

#ifdef __cplusplus
}
#endif
#endif
