#include "Session.h"

#include <algorithm>
#include <cmath>

namespace anechoic {

namespace {

// A session's index may jump forward by this much.
constexpr int64_t longestJumpMilliseconds = 10000;
constexpr size_t mostDecisions = 256;

void set(v1::AudioFormat& message, const Settings& settings, uint32_t channels) {
  message.set_encoding(settings.usesOpus ? v1::AUDIO_ENCODING_OPUS : v1::AUDIO_ENCODING_PCM_F32LE);
  message.set_sample_rate_hz(settings.format.rate);
  message.set_channel_count(channels);
}

}  // namespace

v1::ProcessRequest Session::start(bool resumes, int64_t kept, bool isMuted) {
  v1::ProcessRequest request;
  v1::Start& start = *request.mutable_start();
  const Format& format = settings_.format;
  set(*start.mutable_inputs()->mutable_microphone(), settings_, format.channels);
  if (format.referenceChannels > 0) {
    set(*start.mutable_inputs()->mutable_reference(), settings_, format.referenceChannels);
  }
  set(*start.mutable_outputs()->mutable_processed(), settings_, format.channels);
  *start.mutable_config() = config_.next();
  start.set_session_id(id_);
  start.set_engine(settings_.engine);
  start.set_muted(isMuted);
  start.set_pacing(v1::PACING_REAL_TIME);
  start.mutable_labels()->insert(settings_.labels.begin(), settings_.labels.end());
  if (resumes) {
    resumedAt_ = index(std::max(kept, origin_));
    start.set_resume_token(resumeToken_);
    v1::Start::ResumePoint& point = *start.mutable_resume_point();
    point.set_microphone_sample(resumedAt_);
    point.set_processed_samples(received_);
    point.set_last_event_id(lastEvent_.value_or(0));
  }
  return request;
}

int64_t Session::started(const v1::Started& started, int64_t pushed, int64_t lookAhead) {
  const std::chrono::duration<double> delay = duration(started.algorithmic_delay());
  algorithmicDelay_ = std::llround(delay.count() * settings_.format.rate) + lookAhead;
  engine_ = started.engine().name();
  resumeToken_ = started.resume_token();
  name_ = started.session();
  id_ = name_.substr(name_.find('/') + 1);
  caughtUpAt_ = pushed;
  const int64_t before = next_;
  if (started.has_resumed()) {
    const int64_t first = started.resumed().microphone_sample();
    // After a gap that was too long, the session counts less than the microphone.
    if (first < resumedAt_) origin_ += resumedAt_ - first;
    next_ = position(first);
    received_ = std::max(received_, started.resumed().processed_sample());
    // Somebody may have changed the configuration while the session waited.
    config_.changed(started.config());
  } else {
    // A whole frame, because the worker is woken for each of them.
    const int64_t frame = settings_.format.frameSamples();
    origin_ = next_ = (pushed + frame - 1) / frame * frame;
    received_ = 0;
    lastEvent_.reset();
    config_.began(started.config());
  }
  return std::max<int64_t>(next_ - before, 0);
}

int64_t Session::noted(const v1::SessionEvent& event) {
  lastEvent_ = std::max(lastEvent_.value_or(0), event.event_id());
  if (event.has_config_changed()) config_.changed(event.config_changed().config());
  return position(event.microphone_sample());
}

void Session::decided(const std::string& client, bool grants) {
  std::erase_if(decisions_, [&](const auto& each) { return each.first == client; });
  if (decisions_.size() >= mostDecisions) decisions_.pop_front();
  decisions_.emplace_back(client, grants);
}

std::optional<bool> Session::decision(const std::string& client) const {
  for (const auto& [name, grants] : decisions_) {
    if (name == client) return grants;
  }
  return std::nullopt;
}

void Session::forget() {
  decisions_.clear();
  config_ = KeptConfiguration(settings_.config);
  id_.clear();
}

int64_t Session::skip(int64_t position) {
  const int64_t skipped = position - next_;
  const int64_t longest = settings_.format.samples(longestJumpMilliseconds);
  if (skipped > longest) origin_ += skipped - longest;
  next_ = position;
  return skipped;
}

int64_t Session::captured(int64_t index) const {
  const int64_t captured = index - algorithmicDelay_;
  return captured < 0 ? -1 : position(captured);
}

}  // namespace anechoic
