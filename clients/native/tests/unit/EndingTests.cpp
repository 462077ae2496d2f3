#include "Ending.h"

#include <limits>

#include "Messages.h"
#include "Settings.h"
#include "Units.h"

using namespace anechoic;
using Kind = Ending::Kind;

namespace {

// The details of a status with a reason, as a server sends them.
std::string details(const std::string& reason, int retrySeconds = 0) {
  rpc::Status status;
  rpc::ErrorInfo info;
  info.set_reason(reason);
  status.add_details()->set_type_url("type.googleapis.com/google.rpc.ErrorInfo");
  status.mutable_details(0)->set_value(info.SerializeAsString());
  if (retrySeconds > 0) {
    rpc::RetryInfo retry;
    retry.mutable_retry_delay()->set_seconds(retrySeconds);
    status.add_details()->set_type_url("type.googleapis.com/google.rpc.RetryInfo");
    status.mutable_details(1)->set_value(retry.SerializeAsString());
  }
  return status.SerializeAsString();
}

Kind kind(int code, const std::string& details = "") { return Ending::of(code, details, "").kind; }

void lostConnections() {
  for (const int code : {14, 1, 13, 2, 4}) {
    check(kind(code) == Kind::lost, std::to_string(code) + " without details is a loss");
    check(kind(code, details("OTHER")) == Kind::refused, "with details, the server has answered");
  }
  check(kind(8) == Kind::refused && kind(10) == Kind::refused, "other codes are answers");
}

void reasons() {
  check(kind(14, details("DRAINING", 1)) == Kind::stopped, "DRAINING");
  check(kind(14, details("SERVER_SHUTDOWN", 1)) == Kind::stopped, "SERVER_SHUTDOWN");
  check(kind(5, details("RESUME_TOKEN_UNKNOWN")) == Kind::unknownSession, "RESUME_TOKEN_UNKNOWN");
  check(kind(6, details("SESSION_EXISTS")) == Kind::takenId, "ALREADY_EXISTS");
  for (const int code : {3, 12, 16, 7}) {
    check(kind(code, details("ANY")) == Kind::refusedForGood && kind(code) == Kind::refusedForGood,
          std::to_string(code) + " is refused for good");
  }
  check(kind(0) == Kind::finished, "OK");
  check(kind(14, "no protobuf \xff") == Kind::refused, "malformed details are details");
}

void retryInfo() {
  const Ending ending = Ending::of(8, details("OVERLOADED", 7), "no room");
  check(ending.retryAfter == std::chrono::seconds(7), "RetryInfo names 7 s");
  check(ending.text() == "RESOURCE_EXHAUSTED: no room", "the text has the code's name");
  check(!Ending::of(8, details("OVERLOADED"), "").retryAfter, "without RetryInfo");
  google::protobuf::Duration odd;
  odd.set_seconds(std::numeric_limits<int64_t>::max());
  odd.set_nanos(2'000'000'000);
  check(duration(odd) == std::chrono::hours(24), "a day at most");
  odd.set_seconds(0);
  odd.set_nanos(-1);
  check(duration(odd).count() == 0, "no negative time");
}

void addresses() {
  for (const char* good : {"127.0.0.1:1", "host:65535", "[::1]:50051", "unix:/run/a.sock"}) {
    check(addressProblem(good).empty(), good);
  }
  const std::pair<const char*, const char*> bad[] = {
      {"nowhere", "the port is missing"}, {"host:0", "the port must be from 1 to 65535"},
      {"host:65536", "the port must"},    {"::1:50051", "the host cannot be read"},
      {"unix:", "the path of a socket"},  {"", "the host cannot be read"},
      {"unix:/a%20", "no \"%\""},         {"host:1x", "the port must"}};
  for (const auto& [address, part] : bad) {
    check(addressProblem(address).find(part) != std::string::npos,
          std::string(address) + ": " + addressProblem(address));
  }
}

}  // namespace

std::vector<Case> endingCases() {
  return {
      {"a status without details is a lost connection", lostConnections},
      {"reasons of an Anechoic server are understood", reasons},
      {"RetryInfo is read", retryInfo},
      {"an address that libgrpc would misread is named", addresses},
  };
}
