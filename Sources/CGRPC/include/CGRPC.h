#ifndef CGRPC_H
#define CGRPC_H

// A C face of libgrpc++, so that Swift can speak gRPC without C++ interoperability.
// It knows no message type: a message is bytes. Every callback of one call arrives on the thread
// of the completion queue that the call lives on, one after another.

#include "CGRPCClient.h"
#include "CGRPCQueue.h"
#include "CGRPCSecurity.h"
#include "CGRPCServer.h"
#include "CGRPCTypes.h"

#endif
