#include "Worker.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "TokenFile.h"

namespace anechoic {

using namespace std::chrono_literals;

static_assert(std::endian::native == std::endian::little, "samples travel as little-endian floats");

namespace {

constexpr auto endLimit = 200ms;     // the time to end a session when the voice is closed
constexpr int64_t leastMargin = 10;  // ms from a session's own delay to the delay of the output
constexpr int64_t mostFramesAtOnce = 10;  // of 10 ms, in one message

}  // namespace

Worker::Worker(const Settings& settings, Exchange& exchange, Controls& controls, Listener& listener)
    : settings_(settings),
      format_(settings.format),
      exchange_(exchange),
      controls_(controls),
      listener_(listener),
      reconnection_(settings.idleLimit,
                    [this] { return std::uniform_real_distribution(-1.0, 1.0)(random_); }),
      session_(settings),
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
    const auto pause =
        std::chrono::ceil<std::chrono::milliseconds>(reconnection_.deadline(now) - now);
    exchange_.wakeup.wait(std::max(pause, 0ms));
  }
  close();
}

void Worker::step(Clock::time_point now) {
  hear(now);
  readResponses(now);
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

void Worker::hear(Clock::time_point now) {
  const int64_t pushed = exchange_.pushed.load(std::memory_order_acquire);
  if (pushed != heard_) reconnection_.heard(now);
  heard_ = pushed;
  // What is older than the tape, with or without a session, can never be sent.
  const int64_t oldest = heard_ - exchange_.wait, frame = format_.frameSamples();
  if (session_.next() >= oldest) return;
  const int64_t skipped = session_.skip((oldest + frame - 1) / frame * frame);
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
  const Mute::Request mute = exchange_.mute.latest();
  muteRequest_ = mute.number;
  call_ = std::make_unique<Call>(
      settings_, token,
      session_.start(reconnection_.resumes(now), heard_ - exchange_.wait, mute.isMuted),
      exchange_.wakeup);
}

// MARK: Receiving

void Worker::readResponses(Clock::time_point now) {
  while (call_ != nullptr) {
    const v1::ProcessResponse* const response = call_->response();
    if (response == nullptr) return;
    reconnection_.answered();
    if (response->has_started()) {
      if (!started(response->started(), now)) return;
    } else {
      take(*response);
    }
    call_->release();
  }
}

void Worker::take(const v1::ProcessResponse& response) {
  if (!reconnection_.isRunning() && !reconnection_.isFinishing()) return;
  if (response.has_audio()) play(response.audio().processed());
  if (response.has_event()) noteEvent(response.event());
  if (response.has_control_result()) noteControl(response.control_result());
}

// Returns false if the session was given up, because its delay is too long.
bool Worker::started(const v1::Started& started, Clock::time_point now) {
  hear(now);
  const int64_t lost = session_.started(started, heard_, packets_ ? packets_->lookAhead() : 0);
  exchange_.losses.unsent.fetch_add(uint64_t(lost), std::memory_order_relaxed);
  reconnection_.started(
      now, started.resume_token().empty()
               ? 0ms
               : std::chrono::floor<std::chrono::milliseconds>(duration(started.resume_window())));
  const int64_t delay = exchange_.delay.load(std::memory_order_relaxed);
  if (delay - session_.algorithmicDelay() < format_.samples(leastMargin)) {
    const int64_t least = format_.milliseconds(session_.algorithmicDelay()) + leastMargin + 1;
    const std::string message = "the session needs at least " + std::to_string(least);
    report({Reason::Cause::shortDelay, message, ""});
    ended({Ending::Kind::refusedForGood, "", message}, now);
    return false;
  }
  noteMute(started);
  controls_.open(true);
  return true;
}

void Worker::noteMute(const v1::Started& started) {
  muteControl_ = 0;
  // A resumed session keeps its state. A request that it has not applied is sent again.
  if (!started.has_resumed()) {
    exchange_.mute.confirm(muteRequest_,
                           session_.position(0) + exchange_.delay.load(std::memory_order_relaxed));
  }
  exchange_.mute.changed(started.mute().muted());
}

void Worker::play(const v1::AudioChunk& chunk) {
  if (packets_ != nullptr) {
    samples_ = packets_->decode(chunk.samples());
  } else {
    samples_.resize(chunk.samples().size() / sizeof(float));
    std::memcpy(samples_.data(), chunk.samples().data(), samples_.size() * sizeof(float));
  }
  const auto count = int64_t(samples_.size() / format_.channels);
  if (count == 0) return;
  reconnection_.processed();
  const int64_t first = chunk.first_sample();
  // Output of samples that the session does not have yet is no output.
  if (first < 0 || first > session_.index(session_.next())) return;
  session_.received(first + count);
  const int64_t delay = exchange_.delay.load(std::memory_order_relaxed);
  const int64_t pulled = exchange_.pulled.load(std::memory_order_relaxed);
  int64_t end = -1;  // the position after the last sample that was placed
  for (int64_t frame = 0; frame < count; ++frame) {
    const int64_t captured = session_.captured(first + frame);
    // Output from before the session, or of sound that was not sent, has no place.
    if (captured < 0 || captured >= session_.next()) continue;
    end = captured + delay + 1;
    if (end > pulled) {
      exchange_.voice.put(end - 1, format_.channels, &samples_[size_t(frame) * format_.channels]);
    }
  }
  if (end < 0) return;
  if (end > pulled) {
    if (said_ == Said::processing) return;
    said_ = Said::processing;
    return listener_.processing(session_.name(), session_.engine(), format_.milliseconds(delay));
  }
  exchange_.losses.late.fetch_add(uint64_t(count), std::memory_order_relaxed);
  // What was captured while there was no connection cannot be in time.
  if (end - delay > session_.caughtUpAt()) {
    const int64_t late = pulled - end + 1;
    lateness_.note(format_.milliseconds(late + format_.samples(1) - 1));
  }
}

void Worker::noteControl(const v1::ControlResult& result) {
  if (muteControl_ == 0 || result.control_id() != muteControl_) return;
  muteControl_ = 0;
  // A refused request is sent again.
  if (result.has_refusal()) return;
  const int64_t delay = exchange_.delay.load(std::memory_order_relaxed);
  exchange_.mute.confirm(muteRequest_, session_.position(result.applied_at_sample()) + delay);
}

void Worker::noteEvent(const v1::SessionEvent& event) {
  const int64_t position = session_.noted(event);
  if (event.has_injection_permission_requested() &&
      repeatDecision(event.injection_permission_requested().client())) {
    return;
  }
  if (event.has_mute_changed()) exchange_.mute.changed(event.mute_changed().state().muted());
  listener_.event(event, position);
}

// Answers for the program, which has decided about the client in a session before.
bool Worker::repeatDecision(const std::string& client) {
  const auto decision = session_.decision(client);
  if (!decision) return false;
  v1::Control control;
  control.mutable_decide_injection_permission()->set_client(client);
  control.mutable_decide_injection_permission()->set_grant(*decision);
  controls_.add(std::move(control));
  return true;
}

// MARK: Sending

void Worker::send(Clock::time_point now) {
  if (call_ == nullptr || !reconnection_.isRunning() || !call_->canWrite()) return;
  if (!sendControl()) sendAudio(now);
}

bool Worker::sendControl() {
  v1::ProcessRequest request;
  if (muteControl_ == 0 && !exchange_.mute.isConfirmed()) {
    const Mute::Request mute = exchange_.mute.latest();
    muteRequest_ = mute.number;
    request.mutable_control()->mutable_set_mute()->set_muted(mute.isMuted);
    muteControl_ = lastControl_ + 1;
  } else if (auto control = controls_.take()) {
    if (control->has_decide_injection_permission()) {
      const auto& decision = control->decide_injection_permission();
      session_.decided(decision.client(), decision.grant());
    }
    *request.mutable_control() = std::move(*control);
  } else {
    return false;
  }
  request.mutable_control()->set_control_id(++lastControl_);
  call_->write(std::move(request));
  return true;
}

void Worker::sendAudio(Clock::time_point now) {
  const int64_t frame = format_.frameSamples();
  int64_t count;
  if (packets_ != nullptr) {
    count = format_.samples(OpusPackets::milliseconds);
    if (heard_ < session_.next() + count) return;
  } else {
    // Up to the end of a frame, because the worker is woken then.
    count = std::min(heard_ / frame * frame - session_.next(), mostFramesAtOnce * frame);
    if (count <= 0) return;
  }
  v1::ProcessRequest request;
  v1::AudioInput& audio = *request.mutable_audio();
  fill(exchange_.microphone, format_.channels, count, *audio.mutable_microphone(),
       &OpusPackets::encodeMicrophone);
  if (format_.referenceChannels > 0) {
    fill(exchange_.reference, format_.referenceChannels, count, *audio.mutable_reference(),
         &OpusPackets::encodeReference);
  }
  session_.sent(session_.next() + count);
  call_->write(std::move(request));
  reconnection_.sent(now);
}

void Worker::fill(const Tape& tape, uint32_t channels, int64_t count, v1::AudioChunk& chunk,
                  std::string (OpusPackets::*encode)(const std::vector<float>&)) {
  samples_.resize(size_t(count) * channels);
  for (int64_t frame = 0; frame < count; ++frame) {
    for (uint32_t channel = 0; channel < channels; ++channel) {
      samples_[size_t(frame) * channels + channel] = tape.get(session_.next() + frame, channel);
    }
  }
  chunk.set_first_sample(session_.index(session_.next()));
  if (packets_ != nullptr) {
    chunk.set_samples(((*packets_).*encode)(samples_));
  } else {
    chunk.set_samples(samples_.data(), samples_.size() * sizeof(float));
  }
}

// MARK: Ending

void Worker::ended(const Ending& ending, Clock::time_point now) {
  const bool wasAsked =
      call_ != nullptr && ending.kind == Ending::Kind::finished && reconnection_.isFinishing();
  const bool couldResume = reconnection_.resumes(now);
  call_.reset();
  controls_.open(false);
  muteControl_ = 0;
  reconnection_.ended(ending.kind, ending.retryAfter, now);
  if (ending.kind == Ending::Kind::takenId) session_.forgetId();
  if (wasAsked) {
    session_.forget();
    exchange_.mute.changed(settings_.isMuted);
  }
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
  while (!call_->ending() && Clock::now() < limit) {
    call_->finish();
    if (call_->response() != nullptr) call_->release();
    exchange_.wakeup.wait(10ms);
  }
  call_.reset();
}

}  // namespace anechoic
