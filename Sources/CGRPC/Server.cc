#include "Server.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/server_builder.h>

#include <mutex>
#include <unordered_set>

#include "Bytes.h"
#include "ConnectionArguments.h"
#include "ServerCall.h"

namespace {

void apply(const cgrpc_connection_options &options, grpc::ServerBuilder &builder) {
  anechoic::set_arguments(options, [&](const char *name, int32_t value) {
    builder.AddChannelArgument(name, value);
  });
  if (options.min_received_ping_interval_ms != 0) {
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                               options.min_received_ping_interval_ms);
  }
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  // Two servers must not share a port without knowing it.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
}

}  // namespace

namespace anechoic {

int RawService::add(const char *method) {
  AddMethod(new grpc::internal::RpcServiceMethod(
      method, grpc::internal::RpcMethod::BIDI_STREAMING, nullptr));
  MarkMethodRaw(method_count_);
  return method_count_++;
}

}  // namespace anechoic

cgrpc_server::cgrpc_server(const cgrpc_server_options &options)
    : events(options.events),
      context(options.context),
      ports(options.address_count, 0),
      names_(options.methods, options.methods + options.method_count) {
  for (const std::string &name : names_) {
    anechoic::RawService &service = services_[name.substr(0, name.rfind('/'))];
    methods_.push_back({&service, service.add(name.c_str())});
  }
}

ptrdiff_t cgrpc_server::start(const cgrpc_server_options &options) {
  grpc::ServerBuilder builder;
  apply(options.connection, builder);
  // Does nothing new: the library adds itself to every server of a process that links it.
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  for (size_t i = 0; i < options.address_count; ++i) {
    builder.AddListeningPort(options.addresses[i], grpc::InsecureServerCredentials(), &ports[i]);
  }
  for (auto &service : services_) builder.RegisterService(&service.second);
  for (uint32_t i = 0; i < options.queue_count; ++i) {
    queues_.push_back(std::make_unique<cgrpc_queue>(builder.AddCompletionQueue(),
                                                    "grpc-queue-" + std::to_string(i)));
  }
  server_ = builder.BuildAndStart();
  if (!server_) {
    for (auto &queue : queues_) {
      queue->start();
      queue->shut_down();
    }
    for (size_t i = 0; i < ports.size(); ++i) {
      if (ports[i] == 0) return static_cast<ptrdiff_t>(i);
    }
    return static_cast<ptrdiff_t>(options.address_count);
  }
  for (size_t method = 0; method < options.method_count; ++method) offer(method);
  for (auto &queue : queues_) queue->start();
  return -1;
}

void cgrpc_server::offer(size_t method) {
  cgrpc_queue *idlest = queues_.front().get();
  for (const auto &queue : queues_) {
    if (queue->call_count.load(std::memory_order_relaxed) <
        idlest->call_count.load(std::memory_order_relaxed)) {
      idlest = queue.get();
    }
  }
  (new cgrpc_server_call(this, idlest, method))->request();
}

void cgrpc_server::request(size_t method, grpc::ServerContext *context,
                           grpc::internal::ServerAsyncStreamingInterface *stream,
                           grpc::ServerCompletionQueue *queue, anechoic::Tag *tag) {
  methods_[method].service->RequestAsyncBidiStreaming(methods_[method].index, context, stream,
                                                      queue, queue, tag);
}

void cgrpc_server::shut_down(int64_t grace_ns) {
  server_->Shutdown(gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                                 gpr_time_from_nanos(grace_ns, GPR_TIMESPAN)));
  // By now every call is over or cancelled, but not every handler has heard of it yet.
  live_calls.wait_for_none();
  for (auto &queue : queues_) queue->shut_down();
}

extern "C" {

cgrpc_server *cgrpc_server_start(const cgrpc_server_options *options, size_t *failed_address) {
  auto server = std::make_unique<cgrpc_server>(*options);
  const ptrdiff_t failed = server->start(*options);
  if (failed >= 0) {
    *failed_address = static_cast<size_t>(failed);
    return nullptr;
  }
  return server.release();
}

int32_t cgrpc_server_port(const cgrpc_server *server, size_t address) {
  return server->ports[address];
}

void cgrpc_server_shutdown(cgrpc_server *server, int64_t grace_ns) {
  server->shut_down(grace_ns);
  delete server;
}

void cgrpc_register_descriptor(cgrpc_bytes file) {
  static std::mutex mutex;
  static auto *known = new std::unordered_set<std::string>;
  google::protobuf::FileDescriptorProto parsed;
  if (!parsed.ParseFromArray(file.start, static_cast<int>(file.count))) return;
  std::lock_guard<std::mutex> lock(mutex);
  if (!known->insert(parsed.name()).second ||
      google::protobuf::DescriptorPool::generated_pool()->FindFileByName(parsed.name())) {
    return;
  }
  // The pool keeps the pointer for as long as the process lives.
  auto *kept = new std::string(static_cast<const char *>(file.start), file.count);
  google::protobuf::DescriptorPool::InternalAddGeneratedFile(kept->data(),
                                                             static_cast<int>(kept->size()));
}

}  // extern "C"
