#include "ScriptedServer.h"

#include <grpcpp/impl/codegen/proto_utils.h>

#include <deque>
#include <mutex>
#include <optional>

#include "Checks.h"

class ScriptedServer::Reactor : public grpc::ServerGenericBidiReactor, public ServedCall {
 public:
  Reactor(const Script& script, int number) : script_(script), number_(number) {
    StartRead(&request_);
  }

  int number() const override { return number_; }

  void send(const v1::ProcessResponse& response) override {
    sendBytes(response.SerializeAsString());
  }

  void sendBytes(const std::string& bytes) override {
    const std::lock_guard lock(mutex_);
    if (status_) return;
    const grpc::Slice slice(bytes);
    waiting_.emplace_back(&slice, 1);
    if (waiting_.size() == 1) StartWrite(&waiting_.front());
  }

  void end(const grpc::Status& status) override {
    const std::lock_guard lock(mutex_);
    if (status_) return;
    status_ = status;
    if (waiting_.empty()) Finish(status);
  }

 private:
  void OnReadDone(bool ok) override {
    v1::ProcessRequest request;
    if (!ok || !grpc::SerializationTraits<v1::ProcessRequest>::Deserialize(&request_, &request).ok()) {
      return end(grpc::Status::OK);
    }
    script_(*this, request);
    StartRead(&request_);
  }

  void OnWriteDone(bool ok) override {
    const std::lock_guard lock(mutex_);
    waiting_.pop_front();
    if (!ok) waiting_.clear();
    if (!waiting_.empty()) {
      StartWrite(&waiting_.front());
    } else if (status_) {
      Finish(*status_);
    }
  }

  void OnDone() override { delete this; }

  const Script& script_;
  const int number_;
  grpc::ByteBuffer request_;
  std::mutex mutex_;  // guards what follows
  std::deque<grpc::ByteBuffer> waiting_;
  std::optional<grpc::Status> status_;
};

class ScriptedServer::Service : public grpc::CallbackGenericService {
 public:
  explicit Service(ScriptedServer& server) : server_(server) {}

 private:
  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext*) override {
    return new Reactor(server_.script_, server_.calls_++);
  }

  ScriptedServer& server_;
};

ScriptedServer::ScriptedServer(Script script)
    : script_(std::move(script)), service_(std::make_unique<Service>(*this)) {
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
  builder.RegisterCallbackGenericService(service_.get());
  server_ = builder.BuildAndStart();
  check(server_ != nullptr && port_ > 0, "the scripted server listens");
}

ScriptedServer::~ScriptedServer() {
  server_->Shutdown(std::chrono::system_clock::now());
  server_->Wait();
}

namespace answers {

v1::ProcessResponse started(const std::string& session) {
  v1::ProcessResponse response;
  v1::Started& started = *response.mutable_started();
  started.set_session(session);
  started.set_resume_token("secret");
  started.mutable_resume_window()->set_seconds(10);
  started.mutable_engine()->set_name("scripted");
  return response;
}

v1::ProcessResponse resumed(int64_t microphoneSample) {
  v1::ProcessResponse response = started();
  response.mutable_started()->mutable_resumed()->set_microphone_sample(microphoneSample);
  return response;
}

v1::ProcessResponse output(const v1::AudioInput& input) {
  v1::ProcessResponse response;
  *response.mutable_audio()->mutable_processed() = input.microphone();
  return response;
}

v1::ProcessResponse output(int64_t first, int64_t count, float value) {
  const std::vector<float> samples(size_t(count), value);
  v1::ProcessResponse response;
  response.mutable_audio()->mutable_processed()->set_first_sample(first);
  response.mutable_audio()->mutable_processed()->set_samples(samples.data(),
                                                             samples.size() * sizeof(float));
  return response;
}

v1::ProcessResponse result(const v1::Control& control, const std::string& refusal) {
  v1::ProcessResponse response;
  response.mutable_control_result()->set_control_id(control.control_id());
  if (!refusal.empty()) {
    response.mutable_control_result()->mutable_refusal()->set_reason(refusal);
  }
  return response;
}

grpc::Status refusal(grpc::StatusCode code, const std::string& reason, int64_t retrySeconds) {
  anechoic::rpc::Status status;
  const auto add = [&](const std::string& type, const auto& message) {
    auto& detail = *status.add_details();
    detail.set_type_url("type.googleapis.com/google.rpc." + type);
    detail.set_value(message.SerializeAsString());
  };
  anechoic::rpc::ErrorInfo info;
  info.set_reason(reason);
  add("ErrorInfo", info);
  anechoic::rpc::RetryInfo retry;
  retry.mutable_retry_delay()->set_seconds(retrySeconds);
  if (retrySeconds != 0) add("RetryInfo", retry);
  return {code, reason, status.SerializeAsString()};
}

}  // namespace answers
