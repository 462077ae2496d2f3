#ifndef ANECHOIC_CGRPC_CONNECTIONS_H
#define ANECHOIC_CGRPC_CONNECTIONS_H

#include <string>

namespace anechoic {

// Resets the TCP connection from `peer`, and drops the data that libgrpc has not read. `peer` is an
// address in libgrpc's notation. Does nothing for the address of a Unix socket.
void reset_connection(const std::string &peer);

}  // namespace anechoic

#endif
