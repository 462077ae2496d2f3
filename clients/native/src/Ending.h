#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace anechoic {

// The way in which a call or an attempt ended.
struct Ending {
  enum class Kind {
    finished,        // in order, with OK
    lost,            // the connection is gone, and the session may go on
    stopped,         // the server stops, and its sessions end
    unknownSession,  // there is no session to resume
    takenId,         // another session has the id
    refused,         // the server may accept a later attempt
    refusedForGood,  // a person has to change something
  };

  Kind kind = Kind::lost;
  // A code such as "UNAVAILABLE", or "", and the message.
  std::string code;
  std::string message;
  // The time that the server names for the next attempt.
  std::optional<std::chrono::milliseconds> retryAfter = std::nullopt;

  std::string text() const { return code.empty() ? message : code + ": " + message; }

  // Classifies a gRPC status by its code, its details (google.rpc.Status), and its message.
  static Ending of(int code, const std::string& details, const std::string& message);
};

}  // namespace anechoic
