#include "Worker.h"

#include <algorithm>

#include "TokenFile.h"

namespace anechoic {

using namespace std::chrono_literals;

namespace {

// The time to end a session in order when the voice is closed. The call has 50 ms more.
constexpr auto endLimit = 150ms;
// The worker wakes up late by this much only if the whole program has stood still.
constexpr auto shortestStall = 500ms;

}  // namespace

Worker::Worker(const Settings& settings, Exchange& exchange, Controls& controls, Scene& scene,
               Enrollment& enrollment, Listener& listener)
    : settings_(settings),
      format_(settings.format),
      exchange_(exchange),
      controls_(controls),
      scene_(scene),
      enrollment_(enrollment),
      listener_(listener),
      reconnection_(settings.idleLimit,
                    [this] { return std::uniform_real_distribution(-1.0, 1.0)(random_); }),
      session_(settings),
      debt_(settings.format),
      thread_([this] { run(); }) {}

Worker::~Worker() {
  stopping_ = true;
  exchange_.wakeup.signal();
  thread_.join();
}

void Worker::run() {
  while (!stopping_) {
    step(Clock::now());
    const auto now = Clock::now();
    auto deadline = reconnection_.deadline(now);
    if (audioWaits_) deadline = std::min(deadline, *audioWaits_);
    if (isConnecting()) {
      deadline = std::min(deadline, call_->isStarted() ? now + Call::pace : now);
    }
    const auto pause =
        std::max(std::chrono::ceil<std::chrono::milliseconds>(deadline - now), 0ms);
    exchange_.wakeup.wait(pause);
    const auto late = Clock::now() - now - pause;
    if (late >= shortestStall) {
      reconnection_.stalled(std::chrono::floor<std::chrono::milliseconds>(late));
    }
  }
  close();
}

void Worker::step(Clock::time_point now) {
  hear(now);
  readResponses(now);
  if (isConnecting()) call_->follow();
  if (call_ != nullptr) {
    if (const auto ending = call_->ending()) ended(*ending, now);
  }
  send(now);
  switch (reconnection_.next(now)) {
    case Reconnection::Step::wait:
      break;
    case Reconnection::Step::connect:
      connect(now);
      break;
    case Reconnection::Step::abandon:
      report({Reason::Cause::silent, "the server does not answer", ""});
      ended({Ending::Kind::lost, "", "the server does not answer"}, now);
      break;
    case Reconnection::Step::finish:
      if (!call_->canWrite()) break;
      call_->finish();
      reconnection_.finishing(now);
      break;
  }
  if (const auto late = lateness_.report(now)) listener_.late(late->milliseconds, late->pieces);
}

bool Worker::isConnecting() const { return call_ != nullptr && reconnection_.isConnecting(); }

void Worker::hear(Clock::time_point now) {
  const int64_t pushed = exchange_.pushed.load(std::memory_order_acquire);
  if (pushed != heard_) {
    reconnection_.heard(now);
    heardAt_ = now;
  }
  heard_ = pushed;
  // Audio that is older than the tape, with or without a session, can never be sent.
  const int64_t oldest = heard_ - exchange_.wait, frame = format_.frameSamples();
  if (session_.next() >= oldest) return;
  const int64_t skipped = session_.skip((oldest + frame - 1) / frame * frame);
  if (session_.index(session_.next()) == 0) debt_.gaveUp(skipped);
  exchange_.losses.unsent.fetch_add(uint64_t(skipped), std::memory_order_relaxed);
}

void Worker::connect(Clock::time_point now) {
  reconnection_.connecting(now);
  std::string token;
  try {
    if (!settings_.tokenFile.empty()) token = readToken(settings_.tokenFile);
  } catch (const TokenError& error) {
    report({Reason::Cause::noToken, error.what(), "UNAUTHENTICATED"});
    return ended({Ending::Kind::refusedForGood, "", error.what()}, now);
  }
  if (settings_.usesOpus) packets_ = std::make_unique<OpusPackets>(format_);
  muteRequest_ = exchange_.mute.latest();
  v1::ProcessRequest request =
      session_.start(reconnection_.resumes(now), heard_ - exchange_.wait, muteRequest_.isMuted);
  enrollment_.apply(*request.mutable_start());
  call_ = std::make_unique<Call>(settings_, token, std::move(request), exchange_.wakeup);
}

void Worker::ended(const Ending& ending, Clock::time_point now) {
  const bool wasAsked =
      call_ != nullptr && ending.kind == Ending::Kind::finished && reconnection_.isFinishing();
  const bool couldResume = reconnection_.resumes(now);
  call_.reset();
  controls_.lost();
  exchange_.mute.lost();
  muteControl_ = 0;
  muteAt_ = {};
  // A server that refuses the voice may accept a start without it.
  const bool isAboutTheVoice =
      ending.kind == Ending::Kind::refusedForGood && enrollment_.refused(ending.message);
  reconnection_.ended(isAboutTheVoice ? Ending::Kind::refused : ending.kind, ending.retryAfter,
                      now);
  if (ending.kind == Ending::Kind::takenId) session_.forgetId();
  // Another server may not know what the last one has told.
  if (ending.code == "INVALID_ARGUMENT" && !isAboutTheVoice) session_.forgetConfiguration();
  if (ending.code.empty()) return;  // was reported
  using Cause = Reason::Cause;
  switch (ending.kind) {
    case Ending::Kind::finished:
      if (!wasAsked) report({Cause::ended, "the session has ended", ""});
      break;
    case Ending::Kind::unknownSession:
    case Ending::Kind::takenId:
      if (!couldResume) report({Cause::refused, ending.message, ending.code});
      break;
    case Ending::Kind::lost:
    case Ending::Kind::stopped:
      report({Cause::absent, ending.message, ending.code});
      break;
    case Ending::Kind::refused:
    case Ending::Kind::refusedForGood:
      report({ending.code == "UNAVAILABLE" ? Cause::absent : Cause::refused, ending.message,
              ending.code});
  }
}

// Repeats nothing: retries are not reported. The message of an absent server may vary.
void Worker::report(const Reason& reason) {
  const bool mayVary = reason.cause == Reason::Cause::absent;
  if (said_ == Said::fallback && reason.cause == reason_.cause &&
      (mayVary || reason.message == reason_.message)) {
    return;
  }
  said_ = Said::fallback;
  reason_ = reason;
  listener_.fallback(reason);
}

// Ends the session in order if the server answers at once.
void Worker::close() {
  if (call_ == nullptr) return;
  const auto limit = Clock::now() + endLimit;
  while (call_->isStarted() && !call_->ending() && Clock::now() < limit) {
    call_->finish();
    if (call_->response() != nullptr) call_->release();
    exchange_.wakeup.wait(10ms);
  }
  call_.reset();
}

}  // namespace anechoic
