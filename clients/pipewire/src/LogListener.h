#pragma once

#include <chrono>
#include <string>

#include "Listener.h"
#include "Log.h"
#include "Settings.h"

namespace anechoic {

// Writes the changes of a voice to PipeWire's log, one line each.
class LogListener : public Listener {
 public:
  LogListener(const Log& log, const Settings& settings);

  void processing(const std::string& session, const std::string& engine, int64_t delay) override;
  void fallback(const Reason& reason) override;
  void late(int64_t milliseconds, int64_t pieces) override;
  void event(const v1::SessionEvent&, int64_t) override {}

 private:
  using Clock = std::chrono::steady_clock;

  const Log log_;
  const std::string server_;  // "the server at ADDRESS"
  const std::string address_;
  const std::string heard_;  // what is heard without a server
  int64_t latePieces_ = 0, mostLate_ = 0;  // since lateSince_; milliseconds
  Clock::time_point lateSince_;
};

}  // namespace anechoic
