#ifndef CGRPC_H
#define CGRPC_H

// A C interface to libgrpc++, so that Swift can use gRPC without C++ interoperability. Messages are
// plain bytes. All callbacks of a call run one after another, on the thread of the completion queue
// that the call lives on.

#include "CGRPCClient.h"
#include "CGRPCQueue.h"
#include "CGRPCSecurity.h"
#include "CGRPCServer.h"
#include "CGRPCTypes.h"

#endif
