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
#include "ServerCertificates.h"

namespace anechoic {

// A service whose methods are known only by their names. They are registered like the raw methods
// of generated code. libgrpc itself answers any other method with UNIMPLEMENTED.
class RawService final : public grpc::Service {
 public:
  // Adds a method and returns its index. The name must outlive this object.
  int add(const char *method);
  using grpc::Service::RequestAsyncBidiStreaming;

 private:
  int method_count_ = 0;
};

// The queues that share the calls of some methods, and those that report new ones.
class Lane {
 public:
  void add(cgrpc_queue *queue) { queues_.push_back(queue); }
  void add_door(cgrpc_queue *queue) { doors_.push_back(queue); }

  const std::vector<cgrpc_queue *> &queues() const { return queues_; }
  const std::vector<cgrpc_queue *> &doors() const { return doors_; }

  // Returns the queue with the fewest calls, or the door if it is one of them and no other queue has
  // fewer. The first offers of several doors thus do not all choose the same queue.
  cgrpc_queue *idlest(cgrpc_queue *door) const;

 private:
  std::vector<cgrpc_queue *> queues_;
  std::vector<cgrpc_queue *> doors_;
};

// The number of calls that are offered or running. The queues have to outlive these calls, because
// libgrpc aborts the process if an operation is started on a closed queue.
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

  // Offers the next call of a method to clients. The call will live on the queue with the fewest
  // calls in the method's lane, so that the calls of one connection spread. The queue `door`
  // reports that a client has taken the offer. Each door of the lane always has one offer. With a
  // single door, new calls would wait while libgrpc lets that queue's thread read the bytes of a busy
  // connection.
  void offer(size_t method, cgrpc_queue *door);

  // Asks libgrpc for the next call of a method.
  void request(size_t method, grpc::ServerContext *context,
               grpc::internal::ServerAsyncStreamingInterface *stream,
               cgrpc_queue *queue, cgrpc_queue *door, anechoic::Tag *tag);

  // Counts a call of a method that does not come over gRPC, and returns the queue that it lives on.
  cgrpc_queue *enter(size_t method);
  void leave(cgrpc_queue *queue);

  // Uses other certificates for connections that begin from now on.
  void set_tls(const cgrpc_tls &tls) {
    if (certificates_) certificates_->replace(tls);
  }

  const cgrpc_server_events events;
  void *const context;
  std::vector<int> ports;
  anechoic::LiveCalls live_calls;
  anechoic::ResetGuard reset_guard;

 private:
  struct Method {
    int index;  // The index within the service.
    const anechoic::Lane *lane;
  };

  cgrpc_queue *add_queue(std::unique_ptr<grpc::CompletionQueue> events,
                         const std::string &thread_name, int niceness, anechoic::Waiting waiting);
  void add_main_queues(const cgrpc_server_options &options, grpc::ServerBuilder &builder);
  void add_background_queue(const cgrpc_server_options &options, grpc::ServerBuilder &builder);

  const std::vector<std::string> names_;  // libgrpc keeps pointers to the names.
  anechoic::RawService service_;
  std::vector<Method> methods_;
  std::vector<std::unique_ptr<cgrpc_queue>> queues_;  // The queues of both lanes.
  anechoic::Lane main_;
  anechoic::Lane background_;
  std::shared_ptr<anechoic::ServerCertificates> certificates_;  // NULL for a plaintext server.
  std::unique_ptr<grpc::Server> server_;
};

#endif
