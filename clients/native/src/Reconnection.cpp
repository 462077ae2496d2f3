#include "Reconnection.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace anechoic {

bool Reconnection::isIdle(Time now) const {
  return idleLimit_ > Duration::zero() && (!lastHeard_ || now - *lastHeard_ > idleLimit_);
}

Reconnection::Step Reconnection::next(Time now) const {
  switch (phase_) {
    case Phase::waiting:
      return now >= retryAt_ && !isIdle(now) ? Step::connect : Step::wait;
    case Phase::connecting:
      return now - since_ >= attemptLimit ? Step::abandon : Step::wait;
    case Phase::running:
      if (unansweredSince_ && now - *unansweredSince_ >= answerLimit) return Step::abandon;
      return isIdle(now) ? Step::finish : Step::wait;
    case Phase::finishing:
      return now - since_ >= answerLimit ? Step::abandon : Step::wait;
  }
  return Step::wait;
}

Reconnection::Time Reconnection::deadline(Time now) const {
  Time deadline = now + Duration(1000);
  switch (phase_) {
    case Phase::waiting:
      if (!isIdle(now)) deadline = std::min(deadline, std::max(now, retryAt_));
      break;
    case Phase::running:
      if (unansweredSince_) deadline = std::min(deadline, *unansweredSince_ + answerLimit);
      break;
    case Phase::connecting:
    case Phase::finishing:
      deadline = std::min(deadline, since_ + attemptLimit);
  }
  return deadline;
}

void Reconnection::stalled(Duration time) {
  since_ += time;
  if (unansweredSince_) *unansweredSince_ += time;
}

void Reconnection::connecting(Time now) {
  phase_ = Phase::connecting;
  isResuming_ = resumes(now);
  since_ = now;
  unansweredSince_.reset();
  if (!awaySince_) awaySince_ = now;
}

void Reconnection::started(Time now, Duration resumeWindow) {
  phase_ = Phase::running;
  since_ = started_ = now;
  hasProcessed_ = false;
  unansweredSince_.reset();
  changedId_ = false;
  hasSession_ = resumeWindow > Duration::zero();
  resumeWindow_ = resumeWindow;
  resumableUntil_ = Time::max();
}

void Reconnection::sent(Time now) {
  if (!unansweredSince_) unansweredSince_ = now;
}

void Reconnection::processed() {
  awaySince_.reset();
  hasProcessed_ = true;
}

void Reconnection::finishing(Time now) {
  phase_ = Phase::finishing;
  since_ = now;
}

void Reconnection::ended(Ending::Kind kind, std::optional<Duration> retryAfter, Time now) {
  using Kind = Ending::Kind;
  const bool wasRunning = phase_ == Phase::running || phase_ == Phase::finishing;
  phase_ = Phase::waiting;
  since_ = now;
  unansweredSince_.reset();
  if (!awaySince_) awaySince_ = now;
  if (wasRunning && kind == Kind::lost) resumableUntil_ = now + resumeWindow_;
  if (kind == Kind::finished) awaySince_.reset();
  if (wasRunning && hasProcessed_) noteSession(now - started_ < shortSession);
  const bool isAtOnce = isFollowedAtOnce(kind, wasRunning);
  if (isAtOnce) ++atOnce_;
  if (kind == Kind::takenId) changedId_ = true;
  // This server is not away. The pauses start again from the shortest, unless the server ends each
  // session at once.
  if (kind == Kind::unknownSession && std::exchange(hasLasted_, false)) attempts_ = 0;
  // A session cannot continue if the server has ended it, does not know it, or stops. A session
  // that only could not be resumed yet can continue.
  if (kind == Kind::unknownSession || (kind == Kind::stopped && !wasRunning && isResuming_) ||
      (wasRunning && kind != Kind::lost)) {
    hasSession_ = false;
  }
  retryAt_ = isAtOnce ? now : retryAt(kind, retryAfter, now);
}

// After a session, the pauses start again from the shortest, unless the session was as short as the
// one before.
void Reconnection::noteSession(bool isShort) {
  if (!isShort) atOnce_ = 0;
  if (!isShort || !wasShort_) {
    attempts_ = 0;
    hasLasted_ = true;
  }
  wasShort_ = isShort;
}

// A server that ends each session at once, or has no id to spare, gets no attempt without a pause.
bool Reconnection::isFollowedAtOnce(Ending::Kind kind, bool wasRunning) const {
  if (atOnce_ >= mostAtOnce) return false;
  switch (kind) {
    case Ending::Kind::stopped:
      return wasRunning ? attempts_ == 0 && atOnce_ == 0 : isResuming_;
    case Ending::Kind::unknownSession:
      return hasSession_;
    case Ending::Kind::takenId:
      return !changedId_;
    default:
      return false;
  }
}

Reconnection::Time Reconnection::retryAt(Ending::Kind kind, std::optional<Duration> retryAfter,
                                         Time now) {
  if (kind == Ending::Kind::refusedForGood) return now + varied(pauseAfterRefusal);
  const Duration least = pause(now);
  if (kind == Ending::Kind::lost || !retryAfter) return now + least;
  // A little later, so that not all clients come at once.
  const double factor = 1 + spread * (1 + random_()) / 2;
  const Duration named = std::clamp(*retryAfter, Duration::zero(), longestRetry);
  return now + std::max(least, Duration(std::llround(double(named.count()) * factor)));
}

// Returns the time before the next attempt: twice the last one, up to a limit.
Reconnection::Duration Reconnection::pause(Time now) {
  const Duration longest =
      awaySince_ && now - *awaySince_ >= minute ? longestPauseAfterAMinute : longestPause;
  const Duration doubled = firstPause * (1 << std::min(attempts_, 10));
  ++attempts_;
  return varied(std::min(doubled, longest));
}

Reconnection::Duration Reconnection::varied(Duration time) const {
  return Duration(int64_t(double(time.count()) * (1 + spread * random_())));
}

}  // namespace anechoic
