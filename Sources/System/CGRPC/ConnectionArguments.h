#ifndef ANECHOIC_CGRPC_CONNECTION_ARGUMENTS_H
#define ANECHOIC_CGRPC_CONNECTION_ARGUMENTS_H

#include <grpc/impl/codegen/grpc_types.h>

#include "CGRPCTypes.h"

namespace anechoic {

// Calls `set` with libgrpc's name and the value of each limit that is given.
template <class Set>
void set_arguments(const cgrpc_connection_options &options, Set set) {
  const auto set_given = [&](const char *name, int32_t value) {
    if (value != 0) set(name, value);
  };
  set_given(GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, options.max_receive_message_bytes);
  set_given(GRPC_ARG_MAX_SEND_MESSAGE_LENGTH, options.max_send_message_bytes);
  set_given(GRPC_ARG_KEEPALIVE_TIME_MS, options.keepalive_time_ms);
  set_given(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, options.keepalive_timeout_ms);
}

}  // namespace anechoic

#endif
