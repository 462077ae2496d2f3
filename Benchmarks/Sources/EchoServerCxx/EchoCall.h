#ifndef ECHO_SERVER_CXX_ECHO_CALL_H
#define ECHO_SERVER_CXX_ECHO_CALL_H

#include <grpcpp/server_context.h>
#include <grpcpp/support/async_stream.h>
#include <grpcpp/support/byte_buffer.h>

#include <optional>

#include "BareEngine.h"
#include "EchoService.h"

// A call that answers each message with the first half of the message, and reads the next message
// after that write. If the server has audio, the call has an engine, which processes a frame before
// each answer. One operation is in flight at a time, so the call itself is the tag of all
// operations.
class EchoCall {
 public:
  EchoCall(EchoServer *server, EchoQueue *queue) : server_(server), queue_(queue) {}

  void request();

  // Continues after the operation in flight has completed.
  void complete(bool ok);

 private:
  enum class Operation { kAccept, kRead, kWrite, kFinish };

  void accepted();
  void read();
  void write_half();
  void finish();

  EchoServer *server_;
  EchoQueue *queue_;
  Operation operation_ = Operation::kAccept;
  grpc::ServerContext context_;
  grpc::ServerAsyncReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer> stream_{&context_};
  grpc::ByteBuffer message_;
  std::optional<BareEngine> engine_;
};

#endif
