// Servers that end calls at each moment, and programs that do.

#include "Checks.h"
#include "Program.h"
#include "ScriptedServer.h"
#include "WireCases.h"

using namespace std::chrono_literals;

namespace {

// The moments at which a call can end.
enum Moment { atOnce, beforeStarted, afterStarted, afterAudio, moments };

void endAt(Moment moment, const grpc::Status& status, ServedCall& call,
           const v1::ProcessRequest& request) {
  const auto isDue = [&](Moment each) { return moment == each; };
  if (request.has_start()) {
    if (isDue(atOnce)) return call.end(status);
    if (isDue(beforeStarted)) call.send(answers::output(0, 160, 1));
    if (isDue(beforeStarted)) return call.end(status);
    call.send(answers::started());
    if (isDue(afterStarted)) call.end(status);
  } else if (request.has_audio()) {
    call.send(answers::output(request.audio()));
    if (isDue(afterAudio)) call.end(status);
  }
}

// Returns the most calls in two seconds, of one server for each kind of end.
void noEndIsALoop() {
  const std::vector<grpc::Status> ends = {
      grpc::Status::OK,
      {grpc::StatusCode::UNAVAILABLE, ""},
      {grpc::StatusCode::NOT_FOUND, ""},
      {grpc::StatusCode::INVALID_ARGUMENT, "", std::string(5000, '\xff')},
      answers::refusal(grpc::StatusCode::UNAVAILABLE, "DRAINING"),
      answers::refusal(grpc::StatusCode::UNAVAILABLE, "SERVER_SHUTDOWN", -5),
      answers::refusal(grpc::StatusCode::NOT_FOUND, "RESUME_TOKEN_UNKNOWN"),
      answers::refusal(grpc::StatusCode::ALREADY_EXISTS, "SESSION_EXISTS"),
      answers::refusal(grpc::StatusCode::RESOURCE_EXHAUSTED, "OVERLOADED", -1),
      answers::refusal(grpc::StatusCode::RESOURCE_EXHAUSTED, "OVERLOADED",
                       std::numeric_limits<int64_t>::max()),
  };
  std::vector<std::unique_ptr<ScriptedServer>> servers;
  std::vector<std::unique_ptr<Program>> programs;
  for (const grpc::Status& end : ends) {
    for (int moment = 0; moment < moments; ++moment) {
      servers.push_back(std::make_unique<ScriptedServer>(
          [=](ServedCall& call, const v1::ProcessRequest& request) {
            endAt(Moment(moment), end, call, request);
          }));
      programs.push_back(std::make_unique<Program>(servers.back()->address()));
    }
  }
  const auto finish = std::chrono::steady_clock::now() + 2s;
  while (std::chrono::steady_clock::now() < finish) {
    for (const auto& program : programs) program->run(10ms);
  }
  for (size_t index = 0; index < servers.size(); ++index) {
    const int calls = servers[index]->calls();
    const grpc::Status& end = ends[index / moments];
    check(calls >= 1 && calls <= 16, end.error_message() + " at moment " +
                                         std::to_string(index % moments) + ": " +
                                         std::to_string(calls) + " calls in 2 s");
  }
}

void closingNeverWaitsLong() {
  ScriptedServer silent([](ServedCall&, const v1::ProcessRequest&) {});
  ScriptedServer busy([](ServedCall& call, const v1::ProcessRequest& request) {
    if (request.has_start()) call.send(answers::started());
    for (int count = 0; count < 100; ++count) call.send(answers::output(0, 160, 1));
  });
  for (const auto time : {0ms, 20ms, 300ms, 1100ms}) {
    for (const std::string& address :
         {silent.address(), busy.address(), std::string("127.0.0.1:1"),
          std::string("192.0.2.1:50051"), std::string("nobody.invalid:50051")}) {
      Program program(address);
      program.run(time);
      const auto taken = program.close();
      check(taken < 600ms, address + ": the end takes " + std::to_string(taken.count()) + " ms");
    }
  }
}

}  // namespace

std::vector<Case> endCases() {
  return {
      {"no way to end calls makes a client a flood", noEndIsALoop},
      {"closing never waits long, whatever the server does", closingNeverWaitsLong},
  };
}
