#include "EventQueue.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "EventPositions.h"

namespace anechoic {

size_t wholeLetters(const std::string& text, size_t most) {
  size_t count = std::min(text.size(), most);
  const auto isInsideALetter = [&](size_t at) { return (text[at] & 0xc0) == 0x80; };
  while (count > 0 && count < text.size() && isInsideALetter(count)) --count;
  return count;
}

void copyText(const std::string& text, char* buffer, size_t size) {
  if (buffer == nullptr || size == 0) return;
  const size_t count = wholeLetters(text, size - 1);
  std::memcpy(buffer, text.data(), count);
  buffer[count] = 0;
}

void EventQueue::processing(const std::string& session, const std::string&, int64_t) {
  add(ANECHOIC_EVENT_PROCESSING, -1, 0, session);
}

void EventQueue::fallback(const Reason& reason) {
  switch (reason.cause) {
    case Reason::Cause::shortDelay:
      return add(ANECHOIC_EVENT_FALLBACK, -1, 0, "delay_ms: " + reason.message);
    case Reason::Cause::noToken:
      return add(ANECHOIC_EVENT_FALLBACK, -1, 0, reason.code + ": token_file: " + reason.message);
    default:
      return add(ANECHOIC_EVENT_FALLBACK, -1, 0, reason.text());
  }
}

void EventQueue::late(int64_t milliseconds, int64_t) { add(ANECHOIC_EVENT_LATE, -1, milliseconds); }

void EventQueue::event(const v1::SessionEvent& event, int64_t position) {
  switch (event.event_case()) {
    case v1::SessionEvent::kMutedSpeechActivity:
      return add(ANECHOIC_EVENT_MUTED_SPEECH, position,
                 event.muted_speech_activity().activity() == v1::SPEECH_ACTIVITY_STARTED);
    case v1::SessionEvent::kMuteChanged:
      return add(ANECHOIC_EVENT_MUTE_CHANGED, position, event.mute_changed().state().muted());
    case v1::SessionEvent::kMuteGestureRequested:
      return add(ANECHOIC_EVENT_GESTURE_REQUESTED, position,
                 event.mute_gesture_requested().proposed_muted(),
                 event.mute_gesture_requested().gesture_id());
    case v1::SessionEvent::kInjectionPermissionRequested:
      return add(ANECHOIC_EVENT_INJECTION_REQUESTED, position, 0,
                 event.injection_permission_requested().client());
    case v1::SessionEvent::kVoiceActivityChanged:
      if (event.voice_activity_changed().side() != v1::SIDE_NEAR_END) break;
      return add(ANECHOIC_EVENT_VOICE_ACTIVITY, position, event.voice_activity_changed().active());
    default:
      break;
  }
  v1::SessionEvent placed = event;
  move(placed, int64_t(uint64_t(position) - uint64_t(event.microphone_sample())));
  std::string json;
  if (!google::protobuf::util::MessageToJsonString(placed, &json).ok()) json.clear();
  add(ANECHOIC_EVENT_OTHER, position, 0, json);
}

void EventQueue::add(anechoic_event_kind kind, int64_t position, int64_t value,
                     const std::string& text) {
  anechoic_event event{};
  event.kind = kind;
  event.sample = position;
  event.value = int32_t(std::min<int64_t>(value, INT32_MAX));
  copyText(text, event.text, sizeof event.text);
  Item item{event, text.substr(0, wholeLetters(text, longestText))};
  const std::lock_guard lock(mutex_);
  if (waiting_.size() == 256) waiting_.pop_front();
  waiting_.push_back(std::move(item));
}

std::optional<anechoic_event> EventQueue::next() {
  const std::lock_guard lock(mutex_);
  if (waiting_.empty()) return std::nullopt;
  const anechoic_event event = waiting_.front().event;
  text_ = std::move(waiting_.front().text);
  waiting_.pop_front();
  return event;
}

std::string EventQueue::text() {
  const std::lock_guard lock(mutex_);
  return text_;
}

}  // namespace anechoic
