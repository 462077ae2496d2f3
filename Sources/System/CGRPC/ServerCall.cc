#include "ServerCall.h"

#include <grpc/grpc.h>
#include <grpc/support/time.h>
#include <grpcpp/security/auth_context.h>

#include "Bytes.h"
#include "Server.h"

cgrpc_server_call::cgrpc_server_call(cgrpc_server *server, cgrpc_queue *queue, cgrpc_queue *door,
                                     size_t method)
    : server_(server), queue_(queue), door_(door), method_(method) {
  server_->live_calls.add();
}

cgrpc_server_call::~cgrpc_server_call() { server_->live_calls.remove(); }

void cgrpc_server_call::request() {
  context.AsyncNotifyWhenDone(&done_tag_);
  server_->request(method_, &context, &stream_, queue_, door_, &accepted_tag_);
}

void cgrpc_server_call::accepted(bool ok) {
  if (!ok) {  // The server is shutting down.
    delete this;
    return;
  }
  start_ = anechoic::ResetGuard::Clock::now();
  queue_->add_call();
  server_->offer(method_, door_);
  if (queue_ == door_) return started(true);
  on_queue_.Set(queue_->events(), gpr_inf_past(GPR_CLOCK_MONOTONIC),
                static_cast<anechoic::Tag *>(&started_tag_));
}

void cgrpc_server_call::started(bool) {
  --operations_;
  // A call that is over already needs no handler.
  if (!done_) handler_ = server_->events.started(server_->context, this, method_);
  end_if_over();
}

bool cgrpc_server_call::read() {
  if (reading_ || is_ending()) return false;
  reading_ = true;
  ++operations_;
  read_operation_.set_output_tag(static_cast<anechoic::Tag *>(&read_tag_));
  read_operation_.RecvMessage(&received_);
  read_operation_.AllowNoMessage();
  grpc::internal::Call call(context.c_call(), nullptr, queue_->events());
  read_operation_.FillOps(&call);
  return true;
}

void cgrpc_server_call::read_done(bool ok) {
  --operations_;
  reading_ = false;
  if (is_ending()) {
    // The handler has ended the call, or has been told of its end.
  } else if (read_operation_.got_message) {
    grpc::Slice message = anechoic::unwrap(received_);
    received_.Clear();
    server_->events.message(handler_, anechoic::lend(message));
  } else if (ok && grpc_call_failed_before_recv_message(context.c_call()) == 0) {
    server_->events.half_closed(handler_);
  }  // Otherwise the client is gone or its message was too large. The done tag reports both.
  end_if_over();
}

bool cgrpc_server_call::write(cgrpc_bytes message) {
  if (writing_ || is_ending()) return false;
  writing_ = true;
  ++operations_;
  stream_.Write(anechoic::wrap(message), &write_tag_);
  return true;
}

void cgrpc_server_call::write_done(bool ok) {
  --operations_;
  writing_ = false;
  // A write fails when the call has been cancelled, which the done tag reports.
  if (ok && !is_ending()) server_->events.write_completed(handler_);
  end_if_over();
}

bool cgrpc_server_call::finish(const grpc::Status &status, cgrpc_metadata trailers) {
  if (writing_ || is_ending()) return false;
  finished_ = true;
  for (size_t i = 0; i < trailers.count; ++i) {
    if (!anechoic::is_legal(trailers.start[i])) continue;
    context.AddTrailingMetadata(anechoic::copy(trailers.start[i].key),
                                anechoic::copy(trailers.start[i].value));
  }
  ++operations_;
  stream_.Finish(status, &finish_tag_);
  return true;
}

void cgrpc_server_call::abort(cgrpc_status status) {
  aborted_ = true;
  // TryCancel of the C++ interface always sends CANCELLED.
  const std::string message = anechoic::copy(status.message);
  grpc_call_cancel_with_status(context.c_call(), static_cast<grpc_status_code>(status.code),
                               message.c_str(), nullptr);
}

void cgrpc_server_call::finished(bool) {
  --operations_;
  end_if_over();
}

void cgrpc_server_call::done(bool) {
  done_ = true;
  if (context.IsCancelled()) {
    if (handler_) server_->events.cancelled(handler_);
    const auto now = anechoic::ResetGuard::Clock::now();
    if (!aborted_ && now - start_.load() < anechoic::ResetGuard::shortest_use) {
      server_->reset_guard.note(context.peer(), now);
    }
  }
  end_if_over();
}

void cgrpc_server_call::end_if_over() {
  if (!done_ || operations_ > 0) return;
  queue_->remove_call();
  if (handler_) server_->events.ended(handler_);
  delete this;
}

extern "C" {

cgrpc_queue *cgrpc_server_call_queue(const cgrpc_server_call *call) { return call->queue(); }

bool cgrpc_server_call_read(cgrpc_server_call *call) { return call->read(); }

bool cgrpc_server_call_write(cgrpc_server_call *call, cgrpc_bytes message) {
  return call->write(message);
}

bool cgrpc_server_call_finish(cgrpc_server_call *call, cgrpc_status status,
                              cgrpc_metadata trailers) {
  return call->finish(anechoic::copy(status), trailers);
}

void cgrpc_server_call_abort(cgrpc_server_call *call, cgrpc_status status) {
  call->abort(status);
}

void cgrpc_server_call_add_initial_metadata(cgrpc_server_call *call, cgrpc_metadatum entry) {
  if (!anechoic::is_legal(entry)) return;
  call->context.AddInitialMetadata(anechoic::copy(entry.key), anechoic::copy(entry.value));
}

void cgrpc_server_call_visit_metadata(const cgrpc_server_call *call, void *context,
                                      void (*visit)(void *context, cgrpc_metadatum entry)) {
  for (const cgrpc_metadatum &entry : anechoic::lend(call->context.client_metadata())) {
    visit(context, entry);
  }
}

void cgrpc_server_call_peer(const cgrpc_server_call *call, void *context,
                            void (*use)(void *context, cgrpc_bytes peer)) {
  const std::string peer = call->context.peer();
  use(context, anechoic::lend(peer));
}

void cgrpc_server_call_visit_peer_properties(const cgrpc_server_call *call, void *context,
                                             void (*visit)(void *context, cgrpc_metadatum entry)) {
  const std::shared_ptr<const grpc::AuthContext> properties = call->context.auth_context();
  if (!properties || !properties->IsPeerAuthenticated()) return;
  for (const grpc::AuthProperty &property : *properties) {
    visit(context, {anechoic::lend(property.first), anechoic::lend(property.second)});
  }
}

int64_t cgrpc_server_call_time_left_ns(const cgrpc_server_call *call) {
  const gpr_timespec deadline = call->context.raw_deadline();
  if (gpr_time_cmp(deadline, gpr_inf_future(deadline.clock_type)) == 0) return CGRPC_NO_DEADLINE;
  const gpr_timespec left = gpr_time_sub(deadline, gpr_now(deadline.clock_type));
  if (left.tv_sec >= CGRPC_NO_DEADLINE / 1'000'000'000) return CGRPC_NO_DEADLINE;  // 292 years
  return static_cast<int64_t>(left.tv_sec) * 1'000'000'000 + left.tv_nsec;
}

}  // extern "C"
