#include "Server.h"

#include <grpcpp/resource_quota.h>

#include <algorithm>

#include "Bytes.h"
#include "ConnectionArguments.h"
#include "Credentials.h"
#include "ReadWatch.h"
#include "ServerCall.h"

namespace {

void apply(const cgrpc_connection_options &options, grpc::ServerBuilder &builder) {
  anechoic::set_arguments(options, [&](const char *name, int32_t value) {
    builder.AddChannelArgument(name, value);
  });
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  // Without this, a second server on the same port would start and take half of the connections.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
}

void apply(const cgrpc_server_limits &limits, grpc::ServerBuilder &builder) {
  const auto set_given = [&](const char *name, int32_t value) {
    if (value != 0) builder.AddChannelArgument(name, value);
  };
  set_given(GRPC_ARG_MAX_CONCURRENT_STREAMS, limits.max_concurrent_streams);
  anechoic::ReadWatch::expect_calls(limits.max_concurrent_streams);
  set_given(GRPC_ARG_MAX_CONNECTION_AGE_MS, limits.max_connection_age_ms);
  set_given(GRPC_ARG_MAX_CONNECTION_AGE_GRACE_MS, limits.max_connection_age_grace_ms);
  set_given(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, limits.handshake_timeout_ms);
  if (limits.memory_quota_bytes != 0) {
    grpc::ResourceQuota quota("anechoic-server");
    quota.Resize(static_cast<size_t>(limits.memory_quota_bytes));
    builder.SetResourceQuota(quota);
  }
}

// The maximum number of unread bytes of a connection, and of each of its streams. By default
// libgrpc allows 4 MB for each stream, and more as the bandwidth grows. A message that is being
// read may be larger.
constexpr int unread_bytes = 256 << 10;

void bound_windows(grpc::ServerBuilder &builder) {
  builder.AddChannelArgument(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, unread_bytes);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_BDP_PROBE, 0);
}

// The maximum number of bytes that libgrpc reads from a connection before other connections have their
// turn. By default it reads up to 4 MiB, which can contain 70,000 calls that are reset at once. They
// would keep a thread busy for seconds.
constexpr int read_bytes = 16 << 10;

void take_turns(grpc::ServerBuilder &builder) {
  builder.AddChannelArgument(GRPC_ARG_TCP_READ_CHUNK_SIZE, read_bytes / 2);
  builder.AddChannelArgument(GRPC_ARG_TCP_MAX_READ_CHUNK_SIZE, read_bytes);
}

// Lets libgrpc answer every ping. By default it closes a connection after a few pings that come too
// fast. Until the connection is closed, each further ping costs a GOAWAY and an error that is
// chained to the others, so that a flood takes hundreds of MB. Without this check, libgrpc stops
// reading while 10,000 answers have not left.
void answer_every_ping(grpc::ServerBuilder &builder) {
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);
}

// The maximum size of the headers of a call. It counts 32 bytes more for each header. Larger ones end
// their connection, with all of its calls, which may be those of many clients behind a proxy. Proxies
// pass on up to 60 KiB. GRPCTransport refuses a call alone, whose headers are larger than its limit.
constexpr int header_bytes = 64 << 10;

void bound_headers(grpc::ServerBuilder &builder) {
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, header_bytes);
}

// Refuses compressed messages. libgrpc inflates a message before it checks the size, and 4 MB of
// gzip become 4 GB.
void refuse_compression(grpc::ServerBuilder &builder) {
  for (int algorithm = GRPC_COMPRESS_NONE + 1; algorithm < GRPC_COMPRESS_ALGORITHMS_COUNT;
       ++algorithm) {
    builder.SetCompressionAlgorithmSupportStatus(
        static_cast<grpc_compression_algorithm>(algorithm), false);
  }
}

std::vector<std::string> names(const cgrpc_server_options &options) {
  std::vector<std::string> names;
  for (size_t i = 0; i < options.method_count; ++i) names.emplace_back(options.methods[i].name);
  return names;
}

}  // namespace

namespace anechoic {

int RawService::add(const char *method) {
  AddMethod(new grpc::internal::RpcServiceMethod(
      method, grpc::internal::RpcMethod::BIDI_STREAMING, nullptr));
  MarkMethodRaw(method_count_);
  return method_count_++;
}

cgrpc_queue *Lane::idlest(cgrpc_queue *door) const {
  const bool is_own = std::find(queues_.begin(), queues_.end(), door) != queues_.end();
  cgrpc_queue *idlest = is_own ? door : queues_.front();
  int fewest = idlest->call_count();
  for (cgrpc_queue *queue : queues_) {
    const int count = queue->call_count();
    if (count >= fewest) continue;
    idlest = queue;
    fewest = count;
  }
  return idlest;
}

}  // namespace anechoic

cgrpc_server::cgrpc_server(const cgrpc_server_options &options)
    : events(options.events),
      context(options.context),
      ports(options.address_count, 0),
      names_(names(options)) {
  for (size_t i = 0; i < names_.size(); ++i) {
    methods_.push_back({service_.add(names_[i].c_str()),
                        options.methods[i].is_background ? &background_ : &main_});
  }
}

cgrpc_queue *cgrpc_server::add_queue(std::unique_ptr<grpc::CompletionQueue> events,
                                     const std::string &thread_name, int niceness,
                                     anechoic::Waiting waiting) {
  queues_.push_back(
      std::make_unique<cgrpc_queue>(std::move(events), thread_name, niceness, waiting));
  return queues_.back().get();
}

void cgrpc_server::add_main_queues(const cgrpc_server_options &options,
                                   grpc::ServerBuilder &builder) {
  const auto waiting =
      options.is_spare ? anechoic::Waiting::now_and_then : anechoic::Waiting::polling;
  for (uint32_t i = 0; i < options.queue_count; ++i) {
    cgrpc_queue *queue =
        add_queue(builder.AddCompletionQueue(), "grpc-queue-" + std::to_string(i), 0, waiting);
    main_.add(queue);
    main_.add_door(queue);
  }
}

void cgrpc_server::add_background_queue(const cgrpc_server_options &options,
                                        grpc::ServerBuilder &builder) {
  const bool is_needed = std::any_of(methods_.begin(), methods_.end(), [this](const Method &method) {
    return method.lane == &background_;
  });
  if (!is_needed) return;
  const std::string name = "grpc-background";
  if (anechoic::calls_may_wait_for_events()) {
    background_.add(add_queue(anechoic::queue_without_polling(), name, CGRPC_BACKGROUND_NICENESS,
                              anechoic::Waiting::for_events));
    for (cgrpc_queue *door : main_.doors()) background_.add_door(door);
  } else {
    cgrpc_queue *queue = add_queue(builder.AddCompletionQueue(), name, CGRPC_BACKGROUND_NICENESS,
                                   anechoic::Waiting::polling);
    background_.add(queue);
    background_.add_door(queue);
  }
}

ptrdiff_t cgrpc_server::start(const cgrpc_server_options &options) {
  grpc::ServerBuilder builder;
  apply(options.connection, builder);
  apply(options.limits, builder);
  bound_windows(builder);
  bound_headers(builder);
  take_turns(builder);
  answer_every_ping(builder);
  refuse_compression(builder);
  if (options.tls) {
    certificates_ = std::make_shared<anechoic::ServerCertificates>(*options.tls);
  }
  for (size_t i = 0; i < options.address_count; ++i) {
    const std::string address = options.addresses[i];
    builder.AddListeningPort(address,
                             anechoic::is_plaintext(address, options.tls)
                                 ? grpc::InsecureServerCredentials()
                                 : anechoic::ServerCertificates::credentials(certificates_),
                             &ports[i]);
  }
  builder.RegisterService(&service_);
  add_main_queues(options, builder);
  add_background_queue(options, builder);
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
  for (size_t method = 0; method < options.method_count; ++method) {
    for (cgrpc_queue *door : methods_[method].lane->doors()) offer(method, door);
  }
  for (auto &queue : queues_) queue->start();
  return -1;
}

void cgrpc_server::offer(size_t method, cgrpc_queue *door) {
  (new cgrpc_server_call(this, methods_[method].lane->idlest(door), door, method))->request();
}

void cgrpc_server::request(size_t method, grpc::ServerContext *context,
                           grpc::internal::ServerAsyncStreamingInterface *stream,
                           cgrpc_queue *queue, cgrpc_queue *door, anechoic::Tag *tag) {
  service_.RequestAsyncBidiStreaming(methods_[method].index, context, stream, queue->events(),
                                     static_cast<grpc::ServerCompletionQueue *>(door->events()),
                                     tag);
}

cgrpc_queue *cgrpc_server::enter(size_t method) {
  const anechoic::Lane &lane = *methods_[method].lane;
  cgrpc_queue *queue = lane.idlest(lane.queues().front());
  queue->add_call();
  live_calls.add();
  return queue;
}

void cgrpc_server::leave(cgrpc_queue *queue) {
  queue->remove_call();
  live_calls.remove();
}

void cgrpc_server::shut_down(int64_t grace_ns) {
  server_->Shutdown(gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                                 gpr_time_from_nanos(grace_ns, GPR_TIMESPAN)));
  // Every call has ended or been cancelled by now, but not every handler has been told.
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

void cgrpc_server_set_tls(cgrpc_server *server, const cgrpc_tls *tls) { server->set_tls(*tls); }

cgrpc_queue *cgrpc_server_enter(cgrpc_server *server, size_t method) {
  return server->enter(method);
}

void cgrpc_server_leave(cgrpc_server *server, cgrpc_queue *queue) { server->leave(queue); }

void cgrpc_server_shutdown(cgrpc_server *server, int64_t grace_ns) {
  server->shut_down(grace_ns);
  delete server;
}

}  // extern "C"
