#include "EchoCall.h"

#include <grpcpp/support/slice.h>
#include <grpcpp/support/status.h>

void EchoCall::request() {
  grpc::ServerCompletionQueue *events = queue_->events.get();
  server_->service.RequestAsyncBidiStreaming(0, &context_, &stream_, events, events, this);
}

void EchoCall::complete(bool ok) {
  switch (operation_) {
    case Operation::kAccept:
      if (!ok) return delete this;  // The server is shutting down.
      return accepted();
    case Operation::kRead: return ok ? write_half() : finish();
    case Operation::kWrite: return ok ? read() : finish();
    case Operation::kFinish: --queue_->calls; return delete this;
  }
}

void EchoCall::accepted() {
  ++queue_->calls;
  server_->offer();
  if (server_->audio) {
    // Each call starts at another place in the audio, so that not all calls are silent at the same
    // time.
    constexpr size_t kFramesApart = 37;
    engine_.emplace(*server_->audio, server_->calls_ever++ * kFramesApart);
  }
  read();
}

void EchoCall::read() {
  operation_ = Operation::kRead;
  stream_.Read(&message_, this);
}

void EchoCall::write_half() {
  operation_ = Operation::kWrite;
  if (engine_) engine_->process_next();
  grpc::Slice received;
  if (!message_.TrySingleSlice(&received).ok()) (void)message_.DumpToSingleSlice(&received);
  grpc::Slice half(received.begin(), received.size() / 2);
  stream_.Write(grpc::ByteBuffer(&half, 1), this);
}

void EchoCall::finish() {
  operation_ = Operation::kFinish;
  stream_.Finish(grpc::Status::OK, this);
}
