#ifndef CGRPC_SECURITY_H
#define CGRPC_SECURITY_H

#include "CGRPCTypes.h"

#ifdef __cplusplus
extern "C" {
#endif

// The PEM of one side of a TLS connection. Check it with the functions below first.
typedef struct {
  // The authorities that this side trusts. If this is empty, a client trusts those of the system,
  // and a server asks clients for no certificate. A server with authorities requires a certificate.
  cgrpc_bytes authorities;
  // This side's own certificate, followed by those that lead to an authority. Empty for a client
  // that shows none.
  cgrpc_bytes certificate_chain;
  cgrpc_bytes key;
  // For a client, the name that the server's certificate has to contain. NULL for the name in the
  // target.
  const char *server_name;
} cgrpc_tls;

// The part of PEM that libgrpc cannot use.
typedef enum {
  CGRPC_PEM_GOOD,
  CGRPC_PEM_BAD_CERTIFICATES,
  CGRPC_PEM_BAD_KEY,
  CGRPC_PEM_KEY_OF_ANOTHER,  // Both are valid, but do not belong together.
} cgrpc_pem_fault;

typedef struct {
  cgrpc_pem_fault fault;
  const char *reason;  // A constant, or NULL if there is nothing to add.
} cgrpc_pem_finding;

// Return whether libgrpc can use all of the PEM. libgrpc itself only logs a fault, skips everything
// after a malformed certificate, and creates channels on which every call fails.
cgrpc_pem_finding cgrpc_check_authorities(cgrpc_bytes pem);
cgrpc_pem_finding cgrpc_check_identity(cgrpc_bytes certificate_chain, cgrpc_bytes key);

// The times between which certificates are valid, in seconds since 1970.
typedef struct {
  int64_t first;
  int64_t last;
} cgrpc_validity;

// Returns the time when all certificates of a chain are valid (the latest start and the earliest end).
// The PEM must have passed a check.
cgrpc_validity cgrpc_chain_validity(cgrpc_bytes pem);

// Returns the time when any of the authorities is valid (the earliest start and the latest end). The
// PEM must have passed a check.
cgrpc_validity cgrpc_authorities_validity(cgrpc_bytes pem);

// Gets the description that libgrpc gives of a handshake that failed.
typedef void (*cgrpc_handshake_observer)(const char *problem);

// Has `observe` called, on threads of libgrpc, for each connection to a server of this process that ends
// before its TLS handshake has. Replaces the log of libgrpc, which is the only source of this, so that
// libgrpc writes no lines any more.
void cgrpc_observe_failed_handshakes(cgrpc_handshake_observer observe);

#ifdef __cplusplus
}
#endif
#endif
