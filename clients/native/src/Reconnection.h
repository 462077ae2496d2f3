#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "Ending.h"

namespace anechoic {

// The rules of docs/reference/clients.md for connections: decides what comes next. Does no I/O, and
// reads no clock: every event comes with its time.
class Reconnection {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::milliseconds;

  enum class Step {
    wait,
    connect,  // start a call
    abandon,  // give up the call, which counts as lost: the server does not answer
    finish,   // end the session in order, because no audio has come for a while
  };

  static constexpr Duration answerLimit{2000}, attemptLimit{2000};
  static constexpr Duration firstPause{100}, longestPause{500};
  static constexpr Duration minute{60000}, longestPauseAfterAMinute{5000}, pauseAfterRefusal{5000};
  static constexpr Duration longestRetry{60000};  // that a server can ask for
  // Consecutive sessions that end within this time do not count as a success. The pauses keep
  // growing, and only the first of these sessions is followed at once.
  static constexpr Duration shortSession{1000};
  static constexpr int mostAtOnce = 3;  // attempts without a pause, since a session was not short
  static constexpr double spread = 0.3;

  // With an idle limit, there is a session only while audio comes. 0: none. `random` returns
  // -1...1.
  Reconnection(Duration idleLimit, std::function<double()> random)
      : idleLimit_(idleLimit), random_(std::move(random)) {}

  // Returns what is to be done now.
  Step next(Time now) const;
  // Returns the time at which `next` has to be asked again at the latest.
  Time deadline(Time now) const;

  // The whole program has stood still, as after SIGSTOP: the server is not to blame for this time.
  void stalled(Duration time);
  // The program has pushed audio.
  void heard(Time now) { lastHeard_ = now; }
  // A call was started.
  void connecting(Time now);
  // The server has started or resumed a session, which it keeps for a time after a loss.
  void started(Time now, Duration resumeWindow);
  // Audio was sent.
  void sent(Time now);
  // The server has sent anything.
  void answered() { unansweredSince_.reset(); }
  // The server has sent processed audio.
  void processed();
  // The end of the session was asked for.
  void finishing(Time now);
  // The call has ended, or was given up, which counts as lost.
  void ended(Ending::Kind kind, std::optional<Duration> retryAfter, Time now);

  // Whether the next call resumes the session.
  bool resumes(Time now) const { return hasSession_ && now < resumableUntil_; }
  // Whether a call has started that the server has not answered.
  bool isConnecting() const { return phase_ == Phase::connecting; }
  // Whether the end of the session was asked for.
  bool isFinishing() const { return phase_ == Phase::finishing; }
  // Whether a session has started in the call that runs.
  bool isRunning() const { return phase_ == Phase::running; }

 private:
  enum class Phase { waiting, connecting, running, finishing };

  bool isIdle(Time now) const;
  void noteSession(bool isShort);
  bool isFollowedAtOnce(Ending::Kind kind, bool wasRunning) const;
  Time retryAt(Ending::Kind kind, std::optional<Duration> retryAfter, Time now);
  Duration pause(Time now);
  Duration varied(Duration time) const;

  const Duration idleLimit_;
  const std::function<double()> random_;

  Phase phase_ = Phase::waiting;
  Time since_;    // of the phase
  Time started_;  // of the session in the call that runs
  Time retryAt_;
  std::optional<Time> lastHeard_;
  std::optional<Time> unansweredSince_;
  std::optional<Time> awaySince_;  // the time since which no server has processed audio
  int attempts_ = 0;       // since a session was a success, or then
  int atOnce_ = 0;         // attempts without a pause, since a session was not short
  bool wasShort_ = false;  // the last session
  bool isResuming_ = false;  // The call that runs was started to resume the session.
  bool hasProcessed_ = false;  // in the call that runs
  bool hasLasted_ = false;     // A session was a success, since a server has not known one.
  bool hasSession_ = false;
  bool changedId_ = false;  // since the last session
  Duration resumeWindow_{0};
  Time resumableUntil_;
};

}  // namespace anechoic
