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

}  // namespace

std::vector<Case> eventCases() {
  return {{"every event of the protocol reaches the program", everyEvent}};
}
