#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "Messages.h"

namespace anechoic {

// The decisions of the program on their way to the server. Reads no clock.
//
// The last decision about a gesture or a client counts: it replaces one that waits, and follows one
// that the server has not answered yet. An enrollment replaces no voice that was set before it. Few
// decisions are sent at a time, and those that the server had no room for, or that came too late for
// a session, are sent again. A decision without an answer is under way until its call ends. It is
// then sent again if the session goes on.
class Controls {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr size_t mostWaiting = 256, mostUnanswered = 32;
  static constexpr std::chrono::milliseconds pauseAfterRefusal{500};

  // Any thread. If there are too many, the newest are kept.
  void add(v1::Control control);
  // Any thread: whether a request about the voice is still on its way, and one that sets a voice.
  bool isAskingAboutTheVoice() const;
  bool isSettingVoiceprint() const;

  // The worker: returns the next control to be sent, with its id.
  std::optional<v1::Control> take(Time now);
  // The worker: the server has answered a control. Returns it, unless it is sent again.
  std::optional<v1::Control> answered(const v1::ControlResult& result, Time now);
  // The worker: the call has ended, and nobody answers any more.
  void lost();
  // The worker: a new session has started, which has not asked for any decision. Returns the
  // decisions that are not sent to it. Settings and voices that wait are kept, and are sent.
  std::vector<v1::Control> clear();

  // The worker: an id for a control.
  uint64_t number() { return ++lastNumber_; }
  // Whether the server had no room for a control.
  static bool isTooMany(const v1::ControlResult& result);

 private:
  bool isOnItsWay(bool (*isMeant)(const v1::Control&)) const;
  bool isUnanswered(const std::string& subject) const;
  void returnToWaiting(v1::Control control);

  mutable std::mutex mutex_;
  std::deque<v1::Control> waiting_, unanswered_;
  Time retryAt_{};
  uint64_t lastNumber_ = 0;
};

}  // namespace anechoic
