#include "LogListener.h"

#include <algorithm>

namespace anechoic {

namespace {

// At most one line about late sound in this time, and only if there are as many pieces: single ones
// can be late whenever the graph changes.
constexpr auto lateInterval = std::chrono::minutes(1);
constexpr int64_t latePieces = 10;

}  // namespace

LogListener::LogListener(const Log& log, const Settings& settings)
    : log_(log),
      server_("the server at " + settings.server),
      address_(settings.server),
      heard_(settings.fallback == Fallback::silence
                 ? "; the microphone is silent until it is processed"
                 : "; the microphone is heard unprocessed") {}

void LogListener::processing(const std::string&, const std::string& engine, int64_t delay) {
  log_.warning(server_ + " processes the microphone: engine " + engine + ", delay " +
               std::to_string(delay) + " ms");
}

void LogListener::fallback(const Reason& reason) {
  switch (reason.cause) {
    case Reason::Cause::absent:
      return log_.warning("no server at " + address_ + " (" + reason.message + ")" + heard_);
    case Reason::Cause::silent:
      return log_.warning(server_ + " does not answer" + heard_);
    case Reason::Cause::refused:
      return log_.warning(server_ + " refused the session: " + reason.message + heard_);
    case Reason::Cause::noToken:
      return log_.warning("anechoic.token-file: " + reason.message + heard_);
    case Reason::Cause::shortDelay:
      return log_.warning("anechoic.delay-ms: " + reason.message + heard_);
    case Reason::Cause::ended:
      return log_.warning(server_ + " has ended the session" + heard_);
  }
}

void LogListener::late(int64_t milliseconds, int64_t pieces) {
  const auto now = Clock::now();
  const bool wasReported = latePieces_ >= latePieces;
  if (now - lateSince_ >= lateInterval) {
    lateSince_ = now;
    latePieces_ = mostLate_ = 0;
  } else if (wasReported) {
    return;
  }
  latePieces_ += pieces;
  mostLate_ = std::max(mostLate_, milliseconds);
  if (latePieces_ < latePieces) return;
  log_.warning(server_ + " often answers too late, by up to " + std::to_string(mostLate_) +
               " ms; raise anechoic.delay-ms if this goes on");
}

}  // namespace anechoic
