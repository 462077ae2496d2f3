#ifndef ECHO_SERVER_CXX_ECHO_SERVICE_H
#define ECHO_SERVER_CXX_ECHO_SERVICE_H

#include <grpcpp/completion_queue.h>
#include <grpcpp/impl/service_type.h>

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "BareEngine.h"

// One bidirectional method that takes any bytes, registered as generated code registers it.
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

// What all calls share.
struct EchoServer {
  EchoService service;
  std::vector<std::unique_ptr<EchoQueue>> queues;
  std::optional<EngineAudio> audio;  // none: an echo and nothing else
  std::atomic<size_t> calls_ever{0};

  // Offers the next call on the queue with the fewest, so that streams spread evenly. Our own
  // server does the same: else this would measure luck.
  void offer();
};

#endif
