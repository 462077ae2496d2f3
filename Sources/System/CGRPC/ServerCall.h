#ifndef ANECHOIC_CGRPC_SERVER_CALL_H
#define ANECHOIC_CGRPC_SERVER_CALL_H

#include <grpcpp/alarm.h>
#include <grpcpp/impl/codegen/call_op_set.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/async_stream.h>
#include <grpcpp/support/byte_buffer.h>

#include <atomic>

#include "CGRPCServer.h"
#include "Queue.h"
#include "ResetGuard.h"

// A call of any shape. On the wire, a unary call is a stream of one message. The call lives on one
// queue, and only that queue's thread uses it.
struct cgrpc_server_call {
 public:
  // The call will live on `queue`. `door` reports that a client has taken it.
  cgrpc_server_call(cgrpc_server *server, cgrpc_queue *queue, cgrpc_queue *door, size_t method);
  ~cgrpc_server_call();

  // Offers this call to clients.
  void request();

  // Each returns whether the operation was started. libgrpc aborts the process on a second read,
  // write or finish, so these functions ignore it.
  bool read();
  bool write(cgrpc_bytes message);
  bool finish(const grpc::Status &status, cgrpc_metadata trailers);
  void abort(cgrpc_status status);

  grpc::ServerContext context;

  cgrpc_queue *queue() const { return queue_; }

 private:
  // Runs on the door's thread, while done() may run on the queue's thread.
  void accepted(bool ok);
  void started(bool ok);
  void read_done(bool ok);
  void write_done(bool ok);
  void finished(bool ok);
  void done(bool ok);
  void end_if_over();

  // Returns whether nothing more can be sent or delivered.
  bool is_ending() const { return finished_ || done_; }

  template <void (cgrpc_server_call::*completion)(bool)>
  using Completion = anechoic::MemberTag<cgrpc_server_call, completion>;

  cgrpc_server *server_;
  cgrpc_queue *queue_;
  cgrpc_queue *door_;
  size_t method_;
  grpc::Alarm on_queue_;
  void *handler_ = nullptr;
  grpc::ServerAsyncReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer> stream_{&context};
  // Replaces the stream's own Read, which does not distinguish a half-close from an error.
  grpc::internal::CallOpSet<grpc::internal::CallOpRecvMessage<grpc::ByteBuffer>> read_operation_;
  grpc::ByteBuffer received_;
  int operations_ = 1;  // The operations in flight. The first one is the start.
  bool reading_ = false;
  bool writing_ = false;
  bool finished_ = false;  // The status has been passed to libgrpc.
  bool aborted_ = false;   // This server has aborted the call.
  bool done_ = false;      // libgrpc has reported the end.
  // Written by the thread of the door, and read by that of the queue.
  std::atomic<anechoic::ResetGuard::Clock::time_point> start_{
      anechoic::ResetGuard::Clock::time_point{}};

  Completion<&cgrpc_server_call::accepted> accepted_tag_{this};
  Completion<&cgrpc_server_call::started> started_tag_{this};
  Completion<&cgrpc_server_call::read_done> read_tag_{this};
  Completion<&cgrpc_server_call::write_done> write_tag_{this};
  Completion<&cgrpc_server_call::finished> finish_tag_{this};
  Completion<&cgrpc_server_call::done> done_tag_{this};
};

#endif
