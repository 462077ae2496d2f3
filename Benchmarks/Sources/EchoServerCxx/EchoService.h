#ifndef ECHO_SERVER_CXX_ECHO_SERVICE_H
#define ECHO_SERVER_CXX_ECHO_SERVICE_H

#include <grpcpp/completion_queue.h>
#include <grpcpp/impl/service_type.h>

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "BareEngine.h"

// A service with one bidirectional method that takes any bytes, registered like generated code.
class EchoService final : public grpc::Service {
 public:
  EchoService();
  using grpc::Service::RequestAsyncBidiStreaming;
};

// A completion queue and the number of calls on it.
struct EchoQueue {
  std::unique_ptr<grpc::ServerCompletionQueue> events;
  std::atomic<int> calls{0};
};

// The state that all calls share.
struct EchoServer {
  EchoService service;
  std::vector<std::unique_ptr<EchoQueue>> queues;
  std::optional<EngineAudio> audio;  // Without audio, the calls have no engine.
  std::atomic<size_t> calls_ever{0};

  // Offers the next call on the queue with the fewest calls, so that streams spread evenly. The
  // service does the same. Otherwise chance would decide the result.
  void offer();
};

#endif
