#pragma once

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "Messages.h"

namespace v1 = anechoic::v1;

// One call of `Process` at a scripted server. All functions may be called by any thread.
class ServedCall {
 public:
  virtual ~ServedCall() = default;
  // The number of the call, from 0.
  virtual int number() const = 0;
  virtual void send(const v1::ProcessResponse& response) = 0;
  virtual void sendBytes(const std::string& bytes) = 0;
  // Ends the call, after everything that was sent.
  virtual void end(const grpc::Status& status) = 0;
};

// A server whose answers a test decides: a broken one, or a hostile one.
class ScriptedServer {
 public:
  // Called for each request. Calls run beside each other.
  using Script = std::function<void(ServedCall& call, const v1::ProcessRequest& request)>;

  explicit ScriptedServer(Script script);
  ~ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  int port() const { return port_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  // The calls so far.
  int calls() const { return calls_; }

 private:
  class Reactor;
  class Service;

  Script script_;
  std::atomic<int> calls_{0};
  int port_ = 0;
  std::unique_ptr<Service> service_;
  std::unique_ptr<grpc::Server> server_;
};

// Answers of a server as it should be.
namespace answers {

v1::ProcessResponse started(const std::string& session = "sessions/first");
v1::ProcessResponse resumed(int64_t microphoneSample);
// The microphone as output, or a value instead of its samples.
v1::ProcessResponse output(const v1::AudioInput& input);
v1::ProcessResponse output(int64_t first, int64_t count, float value);
v1::ProcessResponse result(const v1::Control& control, const std::string& refusal = "");
// A status with a reason and a time for the next attempt, in seconds, if it is not 0.
grpc::Status refusal(grpc::StatusCode code, const std::string& reason, int64_t retrySeconds = 0);

}  // namespace answers
