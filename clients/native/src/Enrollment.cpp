#include "Enrollment.h"

namespace anechoic {

namespace {

constexpr size_t longestEncoder = 63, largestValues = 2048, largestMessage = 4096;

bool canBeMeant(const v1::Voiceprint& voiceprint) {
  const size_t size = voiceprint.values().size();
  return !voiceprint.encoder().empty() && voiceprint.encoder().size() <= longestEncoder &&
         size > 0 && size <= largestValues && size % 2 == 0;
}

}  // namespace

std::optional<v1::Voiceprint> Enrollment::voiceprint(std::string_view bytes) {
  v1::Voiceprint voiceprint;
  if (bytes.size() > largestMessage ||
      !voiceprint.ParseFromArray(bytes.data(), int(bytes.size())) || !canBeMeant(voiceprint)) {
    return std::nullopt;
  }
  return voiceprint;
}

void Enrollment::begin(Controls& controls) {
  const std::lock_guard lock(mutex_);
  v1::Control control;
  control.mutable_enroll_voice();
  controls.add(std::move(control));
  state_ = State::learning;
}

void Enrollment::keep(const std::optional<v1::Voiceprint>& voiceprint, Controls& controls) {
  const std::lock_guard lock(mutex_);
  v1::Control control;
  v1::SetVoiceprint& set = *control.mutable_set_voiceprint();
  if (voiceprint) *set.mutable_voiceprint() = *voiceprint;
  controls.add(std::move(control));
  learnt_.clear();
  state_ = State::none;
}

std::string Enrollment::learnt() const {
  const std::lock_guard lock(mutex_);
  return learnt_;
}

Enrollment::State Enrollment::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

void Enrollment::apply(v1::Start& start) const {
  const std::lock_guard lock(mutex_);
  if (kept_) *start.mutable_voiceprint() = *kept_;
  start.set_enroll_voice(enrolls_);
}

void Enrollment::answered(const v1::Control& control, bool isRefused, const Controls& controls) {
  const std::lock_guard lock(mutex_);
  if (!control.has_enroll_voice() && !control.has_set_voiceprint()) return;
  const bool isLast = !controls.isAskingAboutTheVoice();
  if (isRefused) {
    if (isLast) state_ = State::refused;
    return;
  }
  enrolls_ = control.has_enroll_voice();
  if (isLast) state_ = enrolls_ ? State::learning : State::none;
  if (enrolls_) return;
  learnt_.clear();
  kept_.reset();
  if (control.set_voiceprint().has_voiceprint()) kept_ = control.set_voiceprint().voiceprint();
}

bool Enrollment::refused(const std::string& message) {
  const std::lock_guard lock(mutex_);
  if (enrolls_ && message.starts_with("start.enroll_voice")) {
    enrolls_ = false;
  } else if (kept_ && message.starts_with("start.voiceprint")) {
    kept_.reset();
  } else {
    return false;
  }
  if (!enrolls_) state_ = State::refused;
  return true;
}

void Enrollment::learnt(const v1::Voiceprint& voiceprint, const Controls& controls) {
  const std::lock_guard lock(mutex_);
  if (!canBeMeant(voiceprint) || controls.isSettingVoiceprint()) return;
  kept_ = voiceprint;
  kept_->DiscardUnknownFields();
  learnt_ = kept_->SerializeAsString();
  enrolls_ = false;
  state_ = State::learnt;
}

void Enrollment::noted(const v1::SessionEvent& event, const Controls& controls) {
  const std::lock_guard lock(mutex_);
  const int64_t sample = event.microphone_sample();
  if (event.has_voice_enrollment_changed()) {
    noted(event.voice_enrollment_changed(), sample, controls);
  }
  const bool hasFailed = state_ == State::severalVoices || state_ == State::tooLittleVoice;
  if (!event.has_session_ended() || !hasFailed || sample != failedAt_ ||
      event.session_ended().reason() == v1::SessionEnded::REASON_CLIENT_CLOSED) {
    return;
  }
  enrolls_ = true;
  state_ = State::learning;
}

void Enrollment::noted(const v1::VoiceEnrollmentChanged& change, int64_t sample,
                       const Controls& controls) {
  using Change = v1::VoiceEnrollmentChanged;
  if (change.failure() == Change::FAILURE_UNSPECIFIED) return;
  enrolls_ = false;
  if (controls.isAskingAboutTheVoice()) return;
  failedAt_ = sample;
  state_ = change.failure() == Change::FAILURE_SEVERAL_VOICES ? State::severalVoices
                                                              : State::tooLittleVoice;
}

}  // namespace anechoic
