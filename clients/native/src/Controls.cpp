#include "Controls.h"

#include <algorithm>
#include <iterator>

namespace anechoic {

namespace {

bool isAboutTheVoice(const v1::Control& control) {
  return control.has_enroll_voice() || control.has_set_voiceprint();
}

// Returns the gesture, the client, the settings or the voice that a control is about.
std::string subject(const v1::Control& control) {
  if (control.has_decide_mute_gesture()) {
    return "gesture " + control.decide_mute_gesture().gesture_id();
  }
  if (control.has_update_config()) return "spatial audio";
  if (isAboutTheVoice(control)) return "voice";
  return "client " + control.decide_injection_permission().client();
}

// Whether a control makes an earlier one needless. An enrollment needs the voice that was set
// before it: it may fail.
bool replaces(const v1::Control& later, const v1::Control& earlier) {
  return subject(later) == subject(earlier) &&
         !(later.has_enroll_voice() && earlier.has_set_voiceprint());
}

// Whether the same request may succeed: another time, or in another session.
bool isToBeRepeated(const v1::ControlResult& result) {
  return Controls::isTooMany(result) || result.refusal().reason() == "SESSION_ENDED";
}

}  // namespace

void Controls::add(v1::Control control) {
  const std::lock_guard lock(mutex_);
  std::erase_if(waiting_, [&](const auto& each) { return replaces(control, each); });
  if (waiting_.size() >= mostWaiting) waiting_.pop_front();
  waiting_.push_back(std::move(control));
}

std::optional<v1::Control> Controls::take(Time now) {
  const std::lock_guard lock(mutex_);
  if (now < retryAt_ || unanswered_.size() >= mostUnanswered) return std::nullopt;
  const auto next = std::ranges::find_if(
      waiting_, [&](const auto& each) { return !isUnanswered(subject(each)); });
  if (next == waiting_.end()) return std::nullopt;
  v1::Control control = std::move(*next);
  waiting_.erase(next);
  control.set_control_id(number());
  unanswered_.push_back(control);
  return control;
}

std::optional<v1::Control> Controls::answered(const v1::ControlResult& result, Time now) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(unanswered_, [&](const auto& each) {
    return each.control_id() == result.control_id();
  });
  if (found == unanswered_.end()) return std::nullopt;
  v1::Control control = std::move(*found);
  unanswered_.erase(found);
  if (!isToBeRepeated(result)) return control;
  retryAt_ = now + pauseAfterRefusal;
  returnToWaiting(std::move(control));
  return std::nullopt;
}

void Controls::lost() {
  const std::lock_guard lock(mutex_);
  for (; !unanswered_.empty(); unanswered_.pop_back()) {
    returnToWaiting(std::move(unanswered_.back()));
  }
  retryAt_ = {};
}

std::vector<v1::Control> Controls::clear() {
  const std::lock_guard lock(mutex_);
  const auto dropped = std::ranges::stable_partition(waiting_, [](const auto& each) {
    return each.has_update_config() || isAboutTheVoice(each);
  });
  std::vector<v1::Control> decisions(std::move_iterator(dropped.begin()),
                                     std::move_iterator(dropped.end()));
  waiting_.erase(dropped.begin(), dropped.end());
  return decisions;
}

bool Controls::isTooMany(const v1::ControlResult& result) {
  return result.refusal().reason() == "TOO_MANY_CONTROLS";
}

bool Controls::isAskingAboutTheVoice() const { return isOnItsWay(isAboutTheVoice); }

bool Controls::isSettingVoiceprint() const {
  return isOnItsWay([](const v1::Control& control) { return control.has_set_voiceprint(); });
}

bool Controls::isOnItsWay(bool (*isMeant)(const v1::Control&)) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(waiting_, isMeant) ||
         std::ranges::any_of(unanswered_, isMeant);
}

bool Controls::isUnanswered(const std::string& about) const {
  return std::ranges::any_of(unanswered_,
                             [&](const auto& each) { return subject(each) == about; });
}

// A later decision about the same may have replaced it.
void Controls::returnToWaiting(v1::Control control) {
  const bool isReplaced = std::ranges::any_of(
      waiting_, [&](const auto& each) { return replaces(each, control); });
  if (!isReplaced) waiting_.push_front(std::move(control));
}

}  // namespace anechoic
