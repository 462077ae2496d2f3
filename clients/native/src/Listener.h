#pragma once

#include <cstdint>
#include <string>

#include "Messages.h"

namespace anechoic {

// The reason for which there is no processed voice.
struct Reason {
  enum class Cause {
    absent,      // There is no connection to the server.
    silent,      // The server does not answer.
    refused,     // The server has refused the session.
    noToken,     // The file with the token cannot be read.
    shortDelay,  // The delay is shorter than the session needs. The message names the needed delay.
    ended,       // The session has ended in order.
  };
  Cause cause;
  std::string message;  // for people
  std::string code;     // of the status, or ""

  std::string text() const { return code.empty() ? message : code + ": " + message; }
};

// Receives the changes of a voice, on the worker's thread.
class Listener {
 public:
  virtual ~Listener() = default;
  // The output is processed from here on. The delay is in milliseconds.
  virtual void processing(const std::string& session, const std::string& engine, int64_t delay) = 0;
  // There is no processed voice from here on. Retries are reported only for another cause.
  virtual void fallback(const Reason& reason) = 0;
  // Processed sound came too late: by how much at most, and how many pieces since the last report.
  // The report comes 1 s after the first piece, and at most once in 10 s.
  virtual void late(int64_t milliseconds, int64_t pieces) = 0;
  // An event of the session, at a position of the microphone.
  virtual void event(const v1::SessionEvent& event, int64_t position) = 0;
};

}  // namespace anechoic
