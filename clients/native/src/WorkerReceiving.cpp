// Everything that a server sends. Nothing of it is believed that the client cannot have caused.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "Worker.h"

namespace anechoic {

using namespace std::chrono_literals;

static_assert(std::endian::native == std::endian::little, "samples travel as little-endian floats");

namespace {

constexpr int64_t leastMargin = 10;  // ms from a session's own delay to the delay of the output
constexpr int mostResponsesAtOnce = 64;  // so that a flood does not keep the worker from the rest
constexpr float loudest = 4;             // 12 dB above the full scale

// Returns a sample that can be heard: silence for no number, and the full scale for infinity.
float heard(float sample) {
  if (std::isnan(sample)) return 0;
  return std::isinf(sample) ? std::copysign(1.0f, sample) : std::clamp(sample, -loudest, loudest);
}

}  // namespace

void Worker::readResponses(Clock::time_point now) {
  for (int count = 0; call_ != nullptr && count < mostResponsesAtOnce; ++count) {
    const v1::ProcessResponse* const response = call_->response();
    if (response == nullptr) return;
    reconnection_.answered();
    if (!response->has_started()) {
      take(*response, now);
    } else if (reconnection_.isConnecting() && !started(response->started(), now)) {
      return;
    }
    call_->release();
  }
}

void Worker::take(const v1::ProcessResponse& response, Clock::time_point now) {
  if (!reconnection_.isRunning() && !reconnection_.isFinishing()) return;
  if (response.has_audio()) {
    playMix(response.audio().playback());
    play(response.audio().processed());
  }
  if (response.has_event()) noteEvent(response.event());
  if (response.has_voiceprint()) enrollment_.learnt(response.voiceprint(), controls_);
  if (response.has_control_result()) noteControl(response.control_result(), now);
}

// Returns false if the session was given up.
bool Worker::started(const v1::Started& started, Clock::time_point now) {
  hear(now);
  const auto lost = session_.started(started, heard_, packets_ ? packets_->lookAhead() : 0);
  if (!lost) {
    ended({Ending::Kind::lost, "INTERNAL", "the server has sent a start that makes no sense"}, now);
    return false;
  }
  exchange_.losses.unsent.fetch_add(uint64_t(*lost), std::memory_order_relaxed);
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
  recordMute(started);
  scene_.started();
  wasScene_ = false;
  if (!started.has_resumed()) {
    debt_.began(now, heardAt_, session_.next());
    dropControls();
  }
  return true;
}

// A new session has received no request yet. Settings, and decisions about clients, also count in
// it.
void Worker::dropControls() {
  for (const v1::Control& control : controls_.clear()) noteDecision(control);
}

void Worker::noteDecision(const v1::Control& control) {
  if (!control.has_decide_injection_permission()) return;
  const auto& decision = control.decide_injection_permission();
  session_.decided(decision.client(), decision.grant());
}

void Worker::recordMute(const v1::Started& started) {
  muteControl_ = 0;
  // A resumed session keeps its state. A request that it has not applied is sent again.
  if (!started.has_resumed()) exchange_.mute.began(muteRequest_, session_.next());
  // Somebody may have muted since the last output came.
  const bool isMuted = started.mute().muted();
  recordMute(isMuted, isMuted ? session_.next() : session_.received());
}

// Somebody has muted or unmuted, at a position of the microphone.
void Worker::recordMute(bool isMuted, int64_t position) {
  exchange_.mute.changed(isMuted, position, exchange_.pushed.load(std::memory_order_acquire));
}

// Puts the samples of a piece into `samples_`.
void Worker::unpack(const v1::AudioChunk& chunk) {
  if (packets_ != nullptr) {
    samples_ = packets_->decode(chunk.samples());
  } else {
    samples_.resize(chunk.samples().size() / sizeof(float));
    std::memcpy(samples_.data(), chunk.samples().data(), samples_.size() * sizeof(float));
  }
  std::ranges::transform(samples_, samples_.begin(), heard);
}

void Worker::play(const v1::AudioChunk& chunk) {
  unpack(chunk);
  const auto count = int64_t(samples_.size() / format_.channels);
  if (count == 0) return;
  const int64_t first = chunk.first_sample(), next = session_.next();
  int64_t end = -1;  // the position after the last sample that was placed
  int64_t misplaced = count;
  // Output of samples that the session does not have yet is no output.
  if (first >= 0 && first <= session_.index(next)) {
    misplaced = 0;
    session_.received(first + count);
    const int64_t delay = exchange_.delay.load(std::memory_order_relaxed);
    const int64_t pulled = exchange_.pulled.load(std::memory_order_relaxed);
    for (int64_t frame = 0; frame < count; ++frame) {
      const int64_t captured = session_.captured(first + frame);
      misplaced += captured >= next;
      // Output from before the session, or of sound that was not sent, has no place.
      if (captured < 0 || captured >= next) continue;
      end = captured + delay + 1;
      if (end > pulled) {
        exchange_.voice.put(end - 1, format_.channels,
                            &samples_[size_t(frame) * format_.channels]);
      }
    }
  }
  exchange_.losses.misplaced.fetch_add(uint64_t(misplaced), std::memory_order_relaxed);
  if (end < 0) return;
  reconnection_.processed();
  notePiece(end, count);
}

// Places a piece of the mix, which has no algorithmic delay. A mix of samples that the session does
// not have yet is no mix.
void Worker::playMix(const v1::AudioChunk& chunk) {
  const size_t channels = format_.playbackChannels;
  if (channels == 0 || chunk.samples().empty()) return;
  mix_.resize(chunk.samples().size() / sizeof(float) / channels * channels);
  std::memcpy(mix_.data(), chunk.samples().data(), mix_.size() * sizeof(float));
  std::ranges::transform(mix_, mix_.begin(), heard);
  const auto count = int64_t(mix_.size() / channels);
  const int64_t first = chunk.first_sample(), next = session_.next();
  const int64_t delay = exchange_.delay.load(std::memory_order_relaxed);
  const int64_t listened = exchange_.listened.load(std::memory_order_relaxed);
  if (first < 0 || first > session_.index(next)) return;
  for (int64_t frame = 0; frame < count; ++frame) {
    const int64_t position = session_.mixed(first + frame);
    if (position < 0 || position >= next || position + delay < listened) continue;
    exchange_.playback.put(position + delay, channels, &mix_[size_t(frame) * channels]);
  }
}

// Tells the program that its output is processed, or counts a piece that has come too late. `end`
// is the position after its last sample.
void Worker::notePiece(int64_t end, int64_t count) {
  const int64_t delay = exchange_.delay.load(std::memory_order_relaxed);
  const int64_t pulled = exchange_.pulled.load(std::memory_order_relaxed);
  if (end > pulled) {
    if (said_ == Said::processing) return;
    said_ = Said::processing;
    return listener_.processing(session_.name(), session_.engine(), format_.milliseconds(delay));
  }
  exchange_.losses.late.fetch_add(uint64_t(count), std::memory_order_relaxed);
  // Audio that was captured while there was no connection cannot be in time.
  if (end - delay > session_.caughtUpAt()) {
    const int64_t late = pulled - end + 1;
    lateness_.note(format_.milliseconds(late + format_.samples(1) - 1));
  }
}

void Worker::noteControl(const v1::ControlResult& result, Clock::time_point now) {
  if (const auto control = controls_.answered(result, now)) {
    enrollment_.answered(*control, result.has_refusal(), controls_);
  }
  if (muteControl_ == 0 || result.control_id() != muteControl_) return;
  muteControl_ = 0;
  muteAt_ = result.has_refusal() ? now + Controls::pauseAfterRefusal : now;
  if (result.has_refusal()) return;
  const int64_t applied = session_.named(result.applied_at_sample());
  const bool isUnknown = applied < 0 && muteRequest_.isMuted;
  exchange_.mute.confirm(muteRequest_, isUnknown ? session_.next() : applied);
}

void Worker::noteEvent(const v1::SessionEvent& event) {
  const int64_t position = session_.noted(event);
  if (event.has_injection_permission_requested() &&
      repeatDecision(event.injection_permission_requested().client())) {
    return;
  }
  if (event.has_mute_changed()) {
    const bool isMuted = event.mute_changed().state().muted();
    recordMute(isMuted, isMuted && position < 0 ? session_.next() : position);
  }
  enrollment_.noted(event, controls_);
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

}  // namespace anechoic
