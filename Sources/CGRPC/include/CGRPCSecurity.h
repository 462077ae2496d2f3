#ifndef CGRPC_SECURITY_H
#define CGRPC_SECURITY_H

#include "CGRPCTypes.h"

#ifdef __cplusplus
extern "C" {
#endif

// What one side of a TLS connection shows and trusts, as PEM that cgrpc_check_… found fit for it.
typedef struct {
  // Whom this side trusts. Empty: a client trusts whom the system trusts; a server asks clients for
  // no certificate, while otherwise it requires one.
  cgrpc_bytes authorities;
  // What this side shows, its own certificate first; empty for a client that shows none.
  cgrpc_bytes certificate_chain;
  cgrpc_bytes key;
  // Client: the name that the server's certificate has to have, NULL for the target's.
  const char *server_name;
} cgrpc_tls;

// The part of some PEM that libgrpc could not use.
typedef enum {
  CGRPC_PEM_GOOD,
  CGRPC_PEM_BAD_CERTIFICATES,
  CGRPC_PEM_BAD_KEY,
  CGRPC_PEM_KEY_OF_ANOTHER,  // both are fine, but do not belong together
} cgrpc_pem_fault;

typedef struct {
  cgrpc_pem_fault fault;
  const char *reason;  // a constant; NULL where there is nothing to add
} cgrpc_pem_finding;

// Whether all of it can be used. libgrpc itself only logs what is wrong, skips what follows a
// malformed certificate, and makes channels that no call can leave.
cgrpc_pem_finding cgrpc_check_authorities(cgrpc_bytes pem);
cgrpc_pem_finding cgrpc_check_identity(cgrpc_bytes certificate_chain, cgrpc_bytes key);

#ifdef __cplusplus
}
#endif
#endif
