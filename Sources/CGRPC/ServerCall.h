#ifndef ANECHOIC_CGRPC_SERVER_CALL_H
#define ANECHOIC_CGRPC_SERVER_CALL_H

#include <grpcpp/impl/codegen/call_op_set.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/async_stream.h>
#include <grpcpp/support/byte_buffer.h>

#include "CGRPCServer.h"
#include "Queue.h"

// One call of any shape: on the wire a unary call is a stream of one message.
// Lives on one queue and is touched by its thread alone.
struct cgrpc_server_call {
 public:
  cgrpc_server_call(cgrpc_server *server, cgrpc_queue *queue, size_t method);
  ~cgrpc_server_call();

  // Offers this call to the server, to be filled by a client.
  void request();

  void read();
  void write(cgrpc_bytes message);
  void finish(const grpc::Status &status, cgrpc_metadata trailers);

  grpc::ServerContext context;

  cgrpc_queue *queue() const { return queue_; }

 private:
  void accepted(bool ok);
  void read_done(bool ok);
  void write_done(bool ok);
  void finished(bool ok);
  void done(bool ok);
  void end_if_over();

  template <void (cgrpc_server_call::*completion)(bool)>
  using Completion = anechoic::MemberTag<cgrpc_server_call, completion>;

  cgrpc_server *server_;
  cgrpc_queue *queue_;
  size_t method_;
  void *handler_ = nullptr;
  grpc::ServerAsyncReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer> stream_{&context};
  // Not the stream's own Read, which says the same of a client that has closed its side and of an
  // error.
  grpc::internal::CallOpSet<grpc::internal::CallOpRecvMessage<grpc::ByteBuffer>> read_operation_;
  grpc::ByteBuffer received_;
  int operations_ = 0;  // in flight
  bool done_ = false;   // finished or cancelled: nothing more can be sent

  Completion<&cgrpc_server_call::accepted> accepted_tag_{this};
  Completion<&cgrpc_server_call::read_done> read_tag_{this};
  Completion<&cgrpc_server_call::write_done> write_tag_{this};
  Completion<&cgrpc_server_call::finished> finish_tag_{this};
  Completion<&cgrpc_server_call::done> done_tag_{this};
};

#endif
