#include "Session.h"

#include <algorithm>
#include <cmath>

namespace anechoic {

namespace {

// A session's index may jump forward by this much.
constexpr int64_t longestJumpMilliseconds = 10000;
constexpr size_t mostDecisions = 256;
// More than any session has.
constexpr std::chrono::seconds longestAlgorithmicDelay{1};
// Longer names would make each later start too large.
constexpr size_t longestName = 256, longestToken = 4096, largestConfiguration = 64 << 10;

void set(v1::AudioFormat& message, const Settings& settings, uint32_t channels) {
  message.set_encoding(settings.usesOpus ? v1::AUDIO_ENCODING_OPUS : v1::AUDIO_ENCODING_PCM_F32LE);
  message.set_sample_rate_hz(settings.format.rate);
  message.set_channel_count(channels);
}

// Sets the format of the far ends and of the playback, which are never compressed.
void setPlain(v1::AudioFormat& message, const Format& format, uint32_t channels) {
  message.set_encoding(v1::AUDIO_ENCODING_PCM_F32LE);
  message.set_sample_rate_hz(format.rate);
  message.set_channel_count(channels);
}

bool differ(const v1::AudioFormat& one, const v1::AudioFormat& other) {
  return one.encoding() != other.encoding() || one.sample_rate_hz() != other.sample_rate_hz() ||
         one.channel_count() != other.channel_count();
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
  for (const std::string& farEnd : settings_.farEnds) {
    v1::Start::Inputs::FarEnd& input = *start.mutable_inputs()->add_far_ends();
    input.set_far_end_id(farEnd);
    setPlain(*input.mutable_format(), format, 1);
  }
  if (settings_.otherAudioChannels > 0) {
    setPlain(*start.mutable_inputs()->mutable_other_audio(), format, settings_.otherAudioChannels);
  }
  if (format.playbackChannels > 0) {
    setPlain(*start.mutable_outputs()->mutable_playback(), format, format.playbackChannels);
  }
  if (settings_.microphonePair) {
    *start.mutable_inputs()->mutable_microphone_pair() = *settings_.microphonePair;
  }
  *start.mutable_config() = config_.next();
  start.set_session_id(id_);
  start.set_engine(settings_.engine);
  start.set_muted(isMuted);
  start.set_pacing(v1::PACING_REAL_TIME);
  start.mutable_labels()->insert(settings_.labels.begin(), settings_.labels.end());
  resumedAt_.reset();
  if (resumes) {
    resumedAt_ = index(std::max(kept, origin_));
    start.set_resume_token(resumeToken_);
    v1::Start::ResumePoint& point = *start.mutable_resume_point();
    point.set_microphone_sample(*resumedAt_);
    point.set_processed_samples(received_);
    point.set_last_event_id(lastEvent_.value_or(0));
  }
  return request;
}

std::optional<int64_t> Session::started(const v1::Started& started, int64_t pushed,
                                        int64_t lookAhead) {
  if (!canBeMeant(started)) return std::nullopt;
  const std::chrono::duration<double> delay = duration(started.algorithmic_delay());
  algorithmicDelay_ = std::llround(delay.count() * settings_.format.rate) + lookAhead;
  engine_ = started.engine().name();
  resumeToken_ = started.resume_token();
  name_ = started.session();
  id_ = name_.substr(name_.find('/') + 1);
  caughtUpAt_ = pushed;
  const int64_t before = next_;
  int64_t lost = 0;
  if (started.has_resumed()) {
    lost = resumed(started.resumed());
    // Somebody may have changed the configuration while the session waited.
    changed(started.config());
  } else {
    began(pushed);
    config_.began(started.config());
  }
  sent_ = settled_ = index(next_);
  return lost + std::max<int64_t>(next_ - before, 0);
}

bool Session::canBeMeant(const v1::Started& started) const {
  if (duration(started.algorithmic_delay()) > longestAlgorithmicDelay) return false;
  if (started.session().size() > longestName || started.engine().name().size() > longestName ||
      started.resume_token().size() > longestToken) {
    return false;
  }
  v1::AudioFormat wanted;
  set(wanted, settings_, settings_.format.channels);
  const v1::Start::Outputs& outputs = started.outputs();
  if (outputs.has_processed() && differ(outputs.processed(), wanted)) return false;
  if (settings_.format.playbackChannels > 0) {
    setPlain(wanted, settings_.format, settings_.format.playbackChannels);
    if (outputs.has_playback() && differ(outputs.playback(), wanted)) return false;
  }
  if (!started.has_resumed()) return true;
  // A server has no more than it was sent, and conceals the rest up to the point of the request.
  const int64_t first = started.resumed().microphone_sample();
  return resumedAt_ && first >= 0 && first <= std::max(*resumedAt_, sent_);
}

// Goes on where the server is. Returns how many sample frames were lost on their way to the server
// and are too old to be sent again.
int64_t Session::resumed(const v1::Started::Resumed& resumed) {
  const int64_t first = resumed.microphone_sample();
  const int64_t concealed = std::clamp<int64_t>(resumed.concealed_samples(), 0, first);
  const int64_t known = std::max(first - concealed, settled_);
  // After a gap that was too long, the session counts less than the microphone.
  moveOrigin(std::max<int64_t>(*resumedAt_ - first, 0));
  // Audio that was given up meanwhile is counted as lost.
  next_ = std::max(position(first), skipped_);
  received_ = std::max(received_, std::min(resumed.processed_sample(), first));
  return std::max<int64_t>(std::min(sent_, index(next_)) - known, 0);
}

void Session::began(int64_t pushed) {
  // A whole frame, because the worker is woken for each of them.
  const int64_t frame = settings_.format.frameSamples();
  origin_ = next_ = (pushed + frame - 1) / frame * frame;
  originSince_ = received_ = 0;
  lastEvent_.reset();
}

void Session::moveOrigin(int64_t samples) {
  if (samples == 0) return;
  origin_ += samples;
  originSince_ = sent_;
}

void Session::changed(const v1::SessionConfig& config) {
  if (config.ByteSizeLong() <= largestConfiguration) config_.changed(config);
}

void Session::sent(int64_t end) {
  next_ = end;
  sent_ = index(end);
}

void Session::received(int64_t end) {
  received_ = std::max(received_, std::min(end, index(next_)));
}

int64_t Session::named(int64_t index) const {
  // An event may belong to the frame that is under way.
  const int64_t latest = this->index(next_) + settings_.format.frameSamples();
  return index < originSince_ || index > latest ? -1 : position(index);
}

int64_t Session::noted(const v1::SessionEvent& event) {
  lastEvent_ = std::max(lastEvent_.value_or(0), event.event_id());
  if (event.has_config_changed()) changed(event.config_changed().config());
  return named(event.microphone_sample());
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

void Session::forgetConfiguration() { config_ = KeptConfiguration(settings_.config); }

int64_t Session::drop(int64_t count, int64_t pushed) {
  const int64_t frame = settings_.format.frameSamples();
  const int64_t dropped = std::clamp<int64_t>((pushed - next_) / frame * frame, 0, count);
  moveOrigin(dropped);
  next_ += dropped;
  if (dropped > 0) skipped_ = next_;
  return dropped;
}

int64_t Session::skip(int64_t position) {
  const int64_t skipped = position - next_;
  // A session that has not received anything yet begins later.
  const int64_t longest = sent_ == 0 ? 0 : settings_.format.samples(longestJumpMilliseconds);
  moveOrigin(std::max<int64_t>(skipped - longest, 0));
  next_ = skipped_ = position;
  return skipped;
}

int64_t Session::captured(int64_t index) const {
  const int64_t captured = index - algorithmicDelay_;
  return captured < originSince_ ? -1 : position(captured);
}

}  // namespace anechoic
