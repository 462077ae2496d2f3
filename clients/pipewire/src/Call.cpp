#include "Call.h"

namespace anechoic {

Call::Call(v1::VoiceProcessingService::Stub& stub, const std::string& token,
           v1::ProcessRequest first, Wakeup& wakeup)
    : wakeup_(wakeup), request_(std::move(first)) {
  context_.AddMetadata("anechoic-client", "pipewire");
  if (!token.empty()) context_.AddMetadata("authorization", "Bearer " + token);
  stub.async()->Process(&context_, this);
  AddHold();  // Reads and writes are started by another thread than libgrpc's.
  StartWrite(&request_);
  StartRead(&response_);
  StartCall();
}

Call::~Call() {
  context_.TryCancel();
  releaseHold();
  while (!status()) wakeup_.wait(std::chrono::milliseconds(100));
}

bool Call::canWrite() const {
  const std::lock_guard lock(mutex_);
  return !writing_ && !broken_ && !finished_;
}

void Call::write(v1::ProcessRequest request) {
  request_ = std::move(request);
  {
    const std::lock_guard lock(mutex_);
    writing_ = true;
  }
  StartWrite(&request_);
}

void Call::finish() {
  if (!canWrite()) return;
  finished_ = true;
  StartWritesDone();
}

const v1::ProcessResponse* Call::response() const {
  const std::lock_guard lock(mutex_);
  return read_ ? &response_ : nullptr;
}

void Call::release() {
  {
    const std::lock_guard lock(mutex_);
    read_ = false;
  }
  StartRead(&response_);
}

std::optional<grpc::Status> Call::status() {
  bool broken;
  {
    const std::lock_guard lock(mutex_);
    if (status_) return status_;
    broken = broken_;
  }
  if (broken) releaseHold();
  return std::nullopt;
}

void Call::releaseHold() {
  if (held_) RemoveHold();
  held_ = false;
}

// The wakeup outlives the call, which may end as soon as the lock is released.

void Call::OnReadDone(bool ok) {
  const Wakeup& wakeup = wakeup_;
  {
    const std::lock_guard lock(mutex_);
    (ok ? read_ : broken_) = true;
  }
  wakeup.signal();
}

void Call::OnWriteDone(bool ok) {
  const Wakeup& wakeup = wakeup_;
  {
    const std::lock_guard lock(mutex_);
    writing_ = false;
    if (!ok) broken_ = true;
  }
  wakeup.signal();
}

void Call::OnWritesDoneDone(bool) {}

void Call::OnDone(const grpc::Status& status) {
  const Wakeup& wakeup = wakeup_;
  {
    const std::lock_guard lock(mutex_);
    status_ = status;
  }
  wakeup.signal();
}

}  // namespace anechoic
