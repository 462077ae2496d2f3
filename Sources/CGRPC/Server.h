#ifndef ANECHOIC_CGRPC_SERVER_H
#define ANECHOIC_CGRPC_SERVER_H

#include <grpcpp/impl/service_type.h>
#include <grpcpp/server.h>

#include <memory>
#include <string>
#include <vector>

#include "CGRPCServer.h"
#include "Queue.h"

namespace anechoic {

// Methods known by name alone, registered as generated code registers raw ones: reflection sees
// their services, and libgrpc itself answers any other method with UNIMPLEMENTED.
class RawService final : public grpc::Service {
 public:
  explicit RawService(std::vector<std::string> methods);
  using grpc::Service::RequestAsyncBidiStreaming;

 private:
  const std::vector<std::string> methods_;  // libgrpc keeps pointers to the names
};

}  // namespace anechoic

struct cgrpc_server {
 public:
  explicit cgrpc_server(const cgrpc_server_options &options);

  // The index of the address that failed, address_count for another failure, -1 for none.
  ptrdiff_t start(const cgrpc_server_options &options);
  void shut_down(int64_t grace_ns);

  // Offers the next call of a method to clients, on the queue with the fewest calls. One offer a
  // method at a time, so that the calls of one connection spread over all queues.
  void offer(size_t method);

  anechoic::RawService service;
  const cgrpc_server_events events;
  void *const context;
  std::vector<int> ports;

 private:
  std::vector<std::unique_ptr<cgrpc_queue>> queues_;
  std::unique_ptr<grpc::Server> server_;
};

#endif
