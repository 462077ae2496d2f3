// Everything that the worker sends.

#include <algorithm>
#include <utility>

#include "Worker.h"

namespace anechoic {

namespace {

constexpr int64_t mostFramesAtOnce = 10;  // of 10 ms, in one message
constexpr int64_t mostFramesOfMany = 2;   // with more than four far ends
// A mute whose answer takes longer is sent again.
constexpr std::chrono::milliseconds mutePatience{2000};

}  // namespace

void Worker::send(Clock::time_point now) {
  if (call_ == nullptr || !reconnection_.isRunning() || !call_->canWrite()) return;
  audioWaits_ = debt_.waits(now, heard_);
  if (!audioWaits_) dropDebt(now);
  if (sendMute(now) || sendControl(now)) return;
  // On a slow connection, a pose may be due whenever a message can be sent. Audio is sent between
  // two poses.
  const bool wasScene = std::exchange(wasScene_, false);
  if (wasScene && sendAudio(now)) return;
  wasScene_ = sendScene(now);
  if (!wasScene_) sendAudio(now);
}

// Drops audio from before the session that the program has given late.
void Worker::dropDebt(Clock::time_point now) {
  const int64_t dropped = session_.drop(debt_.excess(now, heard_), heard_);
  exchange_.losses.unsent.fetch_add(uint64_t(dropped), std::memory_order_relaxed);
}

// Whether a request can be sent. One to unmute follows the audio that was captured before it: the
// server would process that audio as unmuted.
bool Worker::isMuteDue(const Mute::Request& request, Clock::time_point now) const {
  if (now < muteAt_ || exchange_.mute.isConfirmed()) return false;
  return request.isMuted || session_.next() >= request.position;
}

// Sends the last request to mute or unmute, until the server has applied it.
bool Worker::sendMute(Clock::time_point now) {
  const Mute::Request latest = exchange_.mute.latest();
  if (!isMuteDue(latest, now)) return false;
  muteRequest_ = latest;
  exchange_.mute.sending(muteRequest_, session_.received());
  muteAt_ = now + mutePatience;
  muteControl_ = controls_.number();
  v1::ProcessRequest request;
  request.mutable_control()->mutable_set_mute()->set_muted(muteRequest_.isMuted);
  request.mutable_control()->set_control_id(muteControl_);
  call_->write(std::move(request));
  return true;
}

bool Worker::sendControl(Clock::time_point now) {
  auto control = controls_.take(now);
  if (!control) return false;
  noteDecision(*control);
  v1::ProcessRequest request;
  *request.mutable_control() = std::move(*control);
  call_->write(std::move(request));
  return true;
}

bool Worker::sendScene(Clock::time_point now) {
  auto request = scene_.take(now);
  if (!request) return false;
  call_->write(std::move(*request));
  return true;
}

bool Worker::sendAudio(Clock::time_point now) {
  if (audioWaits_) return false;
  const int64_t frame = format_.frameSamples();
  int64_t count;
  if (packets_ != nullptr) {
    count = format_.samples(OpusPackets::milliseconds);
    if (heard_ < session_.next() + count) return false;
  } else {
    // Up to the end of a frame, because the worker is woken then.
    const int64_t most = exchange_.farEnds.count() > 4 ? mostFramesOfMany : mostFramesAtOnce;
    count = std::min(heard_ / frame * frame - session_.next(), most * frame);
    if (count <= 0) return false;
  }
  v1::ProcessRequest request;
  v1::AudioInput& audio = *request.mutable_audio();
  fill(exchange_.microphone, format_.channels, count, *audio.mutable_microphone(),
       &OpusPackets::encodeMicrophone);
  if (format_.referenceChannels > 0) {
    fill(exchange_.reference, format_.referenceChannels, count, *audio.mutable_reference(),
         &OpusPackets::encodeReference);
  }
  addFarEnds(count, audio);
  addOtherAudio(count, audio);
  session_.sent(session_.next() + count);
  call_->write(std::move(request));
  reconnection_.sent(now);
  return true;
}

// Adds the far ends that have sound, with the samples that came with those of the microphone.
void Worker::addFarEnds(int64_t count, v1::AudioInput& audio) {
  const int64_t first = session_.next();
  for (size_t index = 0; index < exchange_.farEnds.count(); ++index) {
    if (!exchange_.farEnds.has(index, first, count)) continue;
    samples_.resize(size_t(count));
    for (int64_t frame = 0; frame < count; ++frame) {
      samples_[size_t(frame)] = exchange_.farEnds.get(index, first + frame);
    }
    v1::FarEndAudio& far = *audio.add_far_ends();
    far.set_far_end_id(settings_.farEnds[index]);
    far.mutable_audio()->set_samples(samples_.data(), samples_.size() * sizeof(float));
  }
}

// Adds other audio if it has sound, with the samples that came with those of the microphone.
void Worker::addOtherAudio(int64_t count, v1::AudioInput& audio) {
  const int64_t first = session_.next();
  const FarEnds& other = exchange_.otherAudio;
  const size_t channels = other.count();
  bool hasSound = false;
  for (size_t channel = 0; channel < channels; ++channel) {
    hasSound = hasSound || other.has(channel, first, count);
  }
  if (!hasSound) return;
  samples_.resize(size_t(count) * channels);
  for (int64_t frame = 0; frame < count; ++frame) {
    for (size_t channel = 0; channel < channels; ++channel) {
      samples_[size_t(frame) * channels + channel] = other.get(channel, first + frame);
    }
  }
  audio.mutable_other_audio()->set_samples(samples_.data(), samples_.size() * sizeof(float));
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

}  // namespace anechoic
