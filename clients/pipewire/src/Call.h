#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "Wakeup.h"
#include "anechoic/v1/voice_processing.grpc.pb.h"

namespace anechoic {

// One call of `Process`, driven by one thread. libgrpc's threads only note what has completed and
// wake that thread, so no function waits except the destructor, which cancels the call.
class Call : private grpc::ClientBidiReactor<v1::ProcessRequest, v1::ProcessResponse> {
 public:
  // Sends the first request.
  Call(v1::VoiceProcessingService::Stub& stub, const std::string& token, v1::ProcessRequest first,
       Wakeup& wakeup);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // Whether the next request can be written.
  bool canWrite() const;
  void write(v1::ProcessRequest request);
  // Closes the request stream, once the last request is written.
  void finish();

  // Returns the oldest response that is not released yet, or nullptr.
  const v1::ProcessResponse* response() const;
  void release();

  // Returns the status once the call has ended.
  std::optional<grpc::Status> status();

 private:
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnWritesDoneDone(bool ok) override;
  void OnDone(const grpc::Status& status) override;
  void releaseHold();

  Wakeup& wakeup_;
  grpc::ClientContext context_;
  v1::ProcessRequest request_;
  v1::ProcessResponse response_;
  bool held_ = true;
  bool finished_ = false;

  mutable std::mutex mutex_;  // guards what follows
  bool writing_ = true;
  bool read_ = false;
  bool broken_ = false;  // Nothing can be written or read any more.
  std::optional<grpc::Status> status_;
};

}  // namespace anechoic
