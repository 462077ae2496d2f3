#ifndef CGRPC_TYPES_H
#define CGRPC_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Bytes that are lent for the length of one function call or callback.
typedef struct {
  const void *start;
  size_t count;
} cgrpc_bytes;

// One header or trailer. A key that ends in "-bin" carries any bytes, every other one ASCII.
typedef struct {
  cgrpc_bytes key;
  cgrpc_bytes value;
} cgrpc_metadatum;

typedef struct {
  const cgrpc_metadatum *start;
  size_t count;
} cgrpc_metadata;

// The end of a call. `details` is a serialized google.rpc.Status, or empty.
typedef struct {
  int32_t code;
  cgrpc_bytes message;
  cgrpc_bytes details;
} cgrpc_status;

// Limits of a connection, for either side. A value of 0 leaves libgrpc's own default.
typedef struct {
  int32_t max_receive_message_bytes;
  int32_t max_send_message_bytes;
  int32_t keepalive_time_ms;
  int32_t keepalive_timeout_ms;
} cgrpc_connection_options;

// Limits that only a server sets. 0 keeps libgrpc's default: no limit.
typedef struct {
  // Streams that one connection may have open at a time. libgrpc tells clients, but holds only
  // those to it that acknowledge its settings.
  int32_t max_concurrent_streams;
  // After this time a connection takes no new calls, and after the grace period it is closed.
  int32_t max_connection_age_ms;
  int32_t max_connection_age_grace_ms;
  // The time for the TLS handshake and the settings of HTTP/2.
  int32_t handshake_timeout_ms;
  // The memory of all connections together, with the messages that have not arrived in full. When
  // it runs out, libgrpc reads more slowly and then closes connections.
  int64_t memory_quota_bytes;
} cgrpc_server_limits;

// The time until a deadline that does not exist.
#define CGRPC_NO_DEADLINE INT64_MAX

#ifdef __cplusplus
}
#endif
#endif
