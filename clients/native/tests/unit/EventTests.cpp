#include "EventQueue.h"
#include "Units.h"

using namespace anechoic;

namespace {

// An event has a kind of its own in anechoic.h, or is passed on as JSON. A new event needs no code.
void everyEvent() {
  const auto* kinds = v1::SessionEvent::descriptor()->FindOneofByName("event");
  check(kinds->field_count() >= 23, "the protocol has lost events");
  int others = 0;
  for (int index = 0; index < kinds->field_count(); ++index) {
    const auto* kind = kinds->field(index);
    v1::SessionEvent event;
    event.GetReflection()->MutableMessage(&event, kind);
    EventQueue queue;
    queue.event(event, 480);
    const auto passed = queue.next();
    check(passed.has_value() && !queue.next(), kind->name() + " is not one event");
    check(passed->sample == 480, kind->name() + " is elsewhere");
    if (passed->kind != ANECHOIC_EVENT_OTHER) continue;
    ++others;
    const std::string text = passed->text;
    check(text.find('"' + kind->json_name() + '"') != std::string::npos, kind->name() + ": " + text);
    check(text.find("\"480\"") != std::string::npos, kind->name() + " has another position: " + text);
  }
  // An event about voice activity without a side is not about the near end.
  check(others == kinds->field_count() - 4, "another number of events has a kind of its own");
}

// JSON that was cut could not be read.
void longTextsAreWhole() {
  v1::SessionEvent event;
  auto* const config = event.mutable_config_changed()->mutable_config();
  for (int index = 0; index < 100; ++index) {
    config->mutable_spatial_audio()->add_sources()->set_far_end_id("far-end-" +
                                                                   std::to_string(index));
  }
  EventQueue queue;
  check(queue.text().empty(), "no event was taken");
  queue.event(event, 480);
  queue.processing("session", "", 0);
  const auto cut = queue.next();
  const std::string text = queue.text();
  check(cut && std::string(cut->text) == text.substr(0, sizeof cut->text - 1), "the begin");
  check(text.starts_with('{') && text.ends_with('}') && text.size() > 2000, "the whole text");
  check(queue.next() && queue.text() == "session", "the next text");
}

void aTextOfAnyLengthIsCutBetweenLetters() {
  std::string text = "a";
  for (int count = 0; count < 40000; ++count) text += "\xc3\xa4";
  EventQueue queue;
  queue.processing(text, "", 0);
  check(queue.next() && queue.text() == text.substr(0, EventQueue::longestText), "a whole letter");
  queue.processing(text.substr(1), "", 0);
  check(queue.next() && queue.text().size() == EventQueue::longestText - 1, "a letter less");
}

}  // namespace

std::vector<Case> eventCases() {
  return {{"every event of the protocol reaches the program", everyEvent},
          {"a text of an event is whole", longTextsAreWhole},
          {"a text of any length is cut between letters", aTextOfAnyLengthIsCutBetweenLetters}};
}
