#ifndef ANECHOIC_CGRPC_SERVER_H
#define ANECHOIC_CGRPC_SERVER_H

#include <grpcpp/impl/service_type.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "CGRPCServer.h"
#include "Queue.h"
#include "ResetGuard.h"

namespace anechoic {

// Methods that are known by name alone and registered as generated code registers raw ones. libgrpc
// itself answers any other method with UNIMPLEMENTED.
class RawService final : public grpc::Service {
 public:
  // Adds a method, whose name must outlive this, and returns its index.
  int add(const char *method);
  using grpc::Service::RequestAsyncBidiStreaming;

 private:
  int method_count_ = 0;
};

// The queues that share the calls of some methods.
class Lane {
 public:
  void add(cgrpc_queue *queue) { queues_.push_back(queue); }

  const std::vector<cgrpc_queue *> &queues() const { return queues_; }

  // Returns the queue with the fewest calls: `preferred` if no other one has fewer, so that the first
  // offers of several queues do not all choose the same one.
  cgrpc_queue *idlest(cgrpc_queue *preferred) const;

 private:
  std::vector<cgrpc_queue *> queues_;
};

// The number of calls that are offered or running. The queues have to outlive them: libgrpc aborts the
// process for an operation that is started on a closed queue.
class LiveCalls {
 public:
  void add() {
    std::lock_guard<std::mutex> lock(mutex_);
    ++count_;
  }

  void remove() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (--count_ == 0) none_.notify_all();
  }

  void wait_for_none() {
    std::unique_lock<std::mutex> lock(mutex_);
    none_.wait(lock, [this] { return count_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable none_;
  int count_ = 0;
};

}  // namespace anechoic

struct cgrpc_server {
 public:
  explicit cgrpc_server(const cgrpc_server_options &options);

  // Returns -1, or the index of the address that failed, or address_count for another failure.
  ptrdiff_t start(const cgrpc_server_options &options);
  void shut_down(int64_t grace_ns);

  // Offers the next call of a method to clients. The call will live on the queue of the method's lane
  // with the fewest calls, so that the calls of one connection spread. The queue `door` reports that a
  // client has taken the offer. Each queue of the lane is always the door of one offer: libgrpc keeps
  // a queue's thread reading for as long as a connection has bytes, and calls would wait meanwhile.
  void offer(size_t method, cgrpc_queue *door);

  // Asks libgrpc for the next call of a method.
  void request(size_t method, grpc::ServerContext *context,
               grpc::internal::ServerAsyncStreamingInterface *stream,
               cgrpc_queue *queue, cgrpc_queue *door, anechoic::Tag *tag);

  const cgrpc_server_events events;
  void *const context;
  std::vector<int> ports;
  anechoic::LiveCalls live_calls;
  anechoic::ResetGuard reset_guard;

 private:
  struct Method {
    int index;  // within the service
    const anechoic::Lane *lane;
  };

  cgrpc_queue *add_queue(grpc::ServerBuilder &builder, const std::string &thread_name,
                         int niceness);

  const std::vector<std::string> names_;  // libgrpc keeps pointers to them
  anechoic::RawService service_;
  std::vector<Method> methods_;
  std::vector<std::unique_ptr<cgrpc_queue>> queues_;  // of both lanes
  anechoic::Lane main_;
  anechoic::Lane background_;
  std::unique_ptr<grpc::Server> server_;
};

#endif
