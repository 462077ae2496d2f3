#ifndef CGRPC_H
#define CGRPC_H

// A C face of libgrpc++, so that Swift can speak gRPC without C++ interoperability.
// A message is bytes of any type. All callbacks of a call run on the thread of the completion queue
// that the call lives on, one after another.

#include "CGRPCClient.h"
#include "CGRPCQueue.h"
#include "CGRPCSecurity.h"
#include "CGRPCServer.h"
#include "CGRPCTypes.h"

#endif
