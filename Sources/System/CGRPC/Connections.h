#ifndef ANECHOIC_CGRPC_CONNECTIONS_H
#define ANECHOIC_CGRPC_CONNECTIONS_H

#include <string>

namespace anechoic {

// Resets the TCP connection from `peer`, and drops what it has sent and libgrpc has not read. `peer` is
// an address as libgrpc tells it. Nothing happens if this is the address of a Unix socket.
void reset_connection(const std::string &peer);

}  // namespace anechoic

#endif
