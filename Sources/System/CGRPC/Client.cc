#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "Bytes.h"
#include "CGRPCClient.h"
#include "ConnectionArguments.h"
#include "Credentials.h"
#include "Queue.h"

struct cgrpc_channel {
  explicit cgrpc_channel(std::shared_ptr<grpc::Channel> channel) : stub(std::move(channel)) {}
  grpc::GenericStub stub;
};

// One call. Operations may be started on any thread. All of them end on the queue's thread.
struct cgrpc_client_call {
 public:
  cgrpc_client_call(cgrpc_client_events events, void *handler)
      : events_(events), handler_(handler) {}

  void start(cgrpc_channel *channel, cgrpc_queue *queue, const char *method);
  // Each returns whether the operation was started.
  bool read();
  bool write(cgrpc_bytes message);
  bool half_close();
  void cancel();

  grpc::ClientContext context;

 private:
  void started(bool ok);
  void read_done(bool ok);
  void write_done(bool ok);
  void half_close_done(bool ok);
  void finished(bool ok);
  // Reads all remaining messages without being asked, because the status follows them.
  void drain();
  // Fetches the status after a read that failed.
  void fail();
  // Counts an operation off, and ends the call after the last one.
  void complete();

  // Counts a write or a half-close and returns true, unless one is in flight, the call has been
  // half-closed, or it is ending.
  bool begin_write(bool is_last);

  // Starts an operation now, or once the call has been started: libgrpc++ refuses it before.
  void perform(std::function<void()> operation);

  template <void (cgrpc_client_call::*completion)(bool)>
  using Completion = anechoic::MemberTag<cgrpc_client_call, completion>;

  const cgrpc_client_events events_;
  void *const handler_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> stream_;
  grpc::ByteBuffer received_;
  grpc::Status status_;
  std::mutex mutex_;
  int operations_ = 0;
  bool is_started_ = false;
  std::vector<std::function<void()>> early_;  // Operations that wait for the start.
  bool headed_ = false;                       // Whether the server's headers have been delivered.
  bool reading_ = false;
  bool writing_ = false;
  bool half_closed_ = false;
  bool draining_ = false;
  bool finishing_ = false;

  Completion<&cgrpc_client_call::started> start_tag_{this};
  Completion<&cgrpc_client_call::read_done> read_tag_{this};
  Completion<&cgrpc_client_call::write_done> write_tag_{this};
  Completion<&cgrpc_client_call::half_close_done> half_close_tag_{this};
  Completion<&cgrpc_client_call::finished> finish_tag_{this};
};

void cgrpc_client_call::start(cgrpc_channel *channel, cgrpc_queue *queue, const char *method) {
  stream_ = channel->stub.PrepareCall(&context, method, queue->events());
  operations_ = 1;
  stream_->StartCall(&start_tag_);
}

bool cgrpc_client_call::begin_write(bool is_last) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (finishing_ || writing_ || half_closed_) return false;
  writing_ = true;
  half_closed_ = is_last;
  ++operations_;
  return true;
}

void cgrpc_client_call::perform(std::function<void()> operation) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!is_started_) {
      early_.push_back(std::move(operation));
      return;
    }
  }
  operation();
}

void cgrpc_client_call::started(bool ok) {
  std::vector<std::function<void()>> early;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    is_started_ = true;
    early.swap(early_);
  }
  // If the start failed, these operations fail too and are counted off. Only a read that failed
  // fetches the status, because libgrpc++ aborts if the headers are requested a second time.
  for (const auto &operation : early) operation();
  if (!ok) drain();
  complete();
}

bool cgrpc_client_call::read() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (finishing_ || reading_) return false;
    reading_ = true;
    ++operations_;
  }
  perform([this] { stream_->Read(&received_, &read_tag_); });
  return true;
}

void cgrpc_client_call::drain() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    draining_ = true;
  }
  read();
}

void cgrpc_client_call::cancel() {
  context.TryCancel();
  drain();  // Finds the end if nothing else is in flight.
}

void cgrpc_client_call::read_done(bool ok) {
  if (ok) {
    if (!headed_) {
      headed_ = true;
      const auto headers = anechoic::lend(context.GetServerInitialMetadata());
      events_.initial_metadata(handler_, {headers.data(), headers.size()});
    }
    grpc::Slice message = anechoic::unwrap(received_);
    received_.Clear();
    bool draining = false;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      reading_ = false;  // From here on another thread may start the next read.
      draining = draining_;
    }
    events_.message(handler_, anechoic::lend(message));
    if (draining) read();
  } else {
    fail();
  }
  complete();
}

bool cgrpc_client_call::write(cgrpc_bytes message) {
  if (!begin_write(false)) return false;
  perform([this, buffer = anechoic::wrap(message)] { stream_->Write(buffer, &write_tag_); });
  return true;
}

bool cgrpc_client_call::half_close() {
  if (!begin_write(true)) return false;
  perform([this] { stream_->WritesDone(&half_close_tag_); });
  return true;
}

void cgrpc_client_call::write_done(bool ok) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    writing_ = false;
  }
  // A write fails when the server has ended the call. The server's last messages are still unread.
  // The read that fails after them fetches the status.
  if (!ok) drain();
  events_.write_completed(handler_, ok);
  complete();
}

void cgrpc_client_call::half_close_done(bool) { complete(); }

void cgrpc_client_call::fail() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    finishing_ = true;  // From here on no read starts.
    ++operations_;
  }
  stream_->Finish(&status_, &finish_tag_);
}

void cgrpc_client_call::finished(bool) { complete(); }

void cgrpc_client_call::complete() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (--operations_ > 0 || !finishing_) return;
  }
  const std::string message = status_.error_message();
  const std::string details = status_.error_details();
  const auto trailers = anechoic::lend(context.GetServerTrailingMetadata());
  events_.ended(handler_,
                {status_.error_code(), anechoic::lend(message), anechoic::lend(details)},
                {trailers.data(), trailers.size()});
  delete this;
}

extern "C" {

cgrpc_channel *cgrpc_channel_create(const char *target, cgrpc_connection_options options,
                                    const cgrpc_tls *tls) {
  grpc::ChannelArguments arguments;
  anechoic::set_arguments(
      options, [&](const char *name, int32_t value) { arguments.SetInt(name, value); });
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  const auto credentials = anechoic::channel_credentials(target, tls, arguments);
  return new cgrpc_channel(grpc::CreateCustomChannel(target, credentials, arguments));
}

void cgrpc_channel_destroy(cgrpc_channel *channel) { delete channel; }

cgrpc_client_call *cgrpc_client_call_start(cgrpc_channel *channel, cgrpc_queue *queue,
                                           const char *method, cgrpc_metadata metadata,
                                           int64_t timeout_ns, cgrpc_client_events events,
                                           void *context) {
  auto *call = new cgrpc_client_call(events, context);
  for (size_t i = 0; i < metadata.count; ++i) {
    if (!anechoic::is_legal(metadata.start[i])) continue;
    call->context.AddMetadata(anechoic::copy(metadata.start[i].key),
                              anechoic::copy(metadata.start[i].value));
  }
  if (timeout_ns != CGRPC_NO_DEADLINE) {
    call->context.set_deadline(gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                                            gpr_time_from_nanos(timeout_ns, GPR_TIMESPAN)));
  }
  call->start(channel, queue, method);
  return call;
}

bool cgrpc_client_call_read(cgrpc_client_call *call) { return call->read(); }

bool cgrpc_client_call_write(cgrpc_client_call *call, cgrpc_bytes message) {
  return call->write(message);
}

bool cgrpc_client_call_half_close(cgrpc_client_call *call) { return call->half_close(); }

void cgrpc_client_call_cancel(cgrpc_client_call *call) { call->cancel(); }

}  // extern "C"
