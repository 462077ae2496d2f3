#include "Controls.h"

#include "Text.h"
#include "Units.h"

using namespace anechoic;
using namespace std::chrono_literals;

namespace {

v1::Control decision(const std::string& client, bool grants) {
  v1::Control control;
  control.mutable_decide_injection_permission()->set_client(client);
  control.mutable_decide_injection_permission()->set_grant(grants);
  return control;
}

bool grants(const v1::Control& control) { return control.decide_injection_permission().grant(); }

v1::ControlResult answer(const v1::Control& control, const std::string& refusal = "") {
  v1::ControlResult result;
  result.set_control_id(control.control_id());
  if (!refusal.empty()) result.mutable_refusal()->set_reason(refusal);
  return result;
}

// A server that never has room for more than a few controls, as the real one.
void theLastDecisionCounts() {
  Controls controls;
  Controls::Time now{1000s};
  std::map<std::string, bool> applied;
  for (int count = 0; count < 201; ++count) {
    for (const char* client : {"one", "two"}) controls.add(decision(client, count % 2 == 0));
    if (count % 3 != 0) continue;
    const auto control = controls.take(now);
    if (!control) continue;
    const bool isRefused = count % 2 == 0;
    if (!isRefused) {
      applied[control->decide_injection_permission().client()] = grants(*control);
    }
    controls.answered(answer(*control, isRefused ? "TOO_MANY_CONTROLS" : ""), now);
    now += 300ms;
  }
  for (int count = 0; count < 4; ++count, now += 1s) {
    const auto control = controls.take(now);
    if (!control) continue;
    applied[control->decide_injection_permission().client()] = grants(*control);
    controls.answered(answer(*control), now);
  }
  check(applied["one"] && applied["two"], "the last of many states");
}

void fewControlsAreUnderWay() {
  Controls controls;
  Controls::Time now{1000s};
  for (int client = 0; client < 300; ++client) {
    controls.add(decision(std::to_string(client), true));
  }
  size_t sent = 0;
  std::optional<v1::Control> first, last;
  while (const auto control = controls.take(now)) {
    if (!first) first = control;
    last = control;
    ++sent;
  }
  check(sent == Controls::mostUnanswered, "the server is not flooded");
  check(first->decide_injection_permission().client() == "44", "of too many, the newest are kept");
  controls.answered(answer(*first), now);
  check(controls.take(now) && !controls.take(now), "an answer makes room for one");
  controls.answered(answer(*last, "TOO_MANY_CONTROLS"), now);
  check(!controls.take(now + 499ms), "a server without room gets a pause");
  const auto again = controls.take(now + 500ms);
  check(again && again->decide_injection_permission().client() ==
                     last->decide_injection_permission().client(),
        "then it is sent again");
  check(again->control_id() > last->control_id(), "with another id");
}

void aRequestWaitsForItsAnswer() {
  Controls controls;
  Controls::Time now{1000s};
  controls.add(decision("one", true));
  const auto sent = controls.take(now);
  controls.add(decision("one", false));
  check(!controls.take(now + 1h), "a later decision about the same waits too");
  check(controls.answered(answer(*sent), now + 1h).has_value(), "the answer is the request's");
  check(!grants(*controls.take(now + 1h)), "then the later decision is sent");
}

void aLossLeavesDecisions() {
  Controls controls;
  Controls::Time now{1000s};
  controls.add(decision("one", true));
  controls.add(decision("two", true));
  controls.take(now);
  controls.add(decision("one", false));
  check(controls.take(now)->decide_injection_permission().client() == "two",
        "a decision follows the one before about the same, once that is answered");
  controls.lost();
  const auto two = controls.take(now), one = controls.take(now);
  check(two->decide_injection_permission().client() == "two" && !grants(*one),
        "decisions without an answer are sent again, unless there is a later one");
  controls.answered(answer(*one, "NOT_FOUND"), now);
  check(!controls.take(now), "a decision that is refused for good is not repeated");
  controls.lost();
  const auto untold = controls.clear();
  check(untold.size() == 1 && grants(untold[0]), "another session is asked nothing");
  check(!controls.take(now), "and told nothing");
}

v1::Control place(float azimuth) {
  v1::Control control;
  auto& spatial = *control.mutable_update_config()->mutable_config()->mutable_spatial_audio();
  spatial.add_sources()->set_azimuth_degrees(azimuth);
  return control;
}

void aNewSessionGetsTheLastSettings() {
  Controls controls;
  Controls::Time now{1000s};
  controls.add(place(10));
  controls.add(decision("one", true));
  const auto untold = controls.clear();
  check(untold.size() == 1 && grants(untold[0]), "only the decision is dropped");
  controls.add(place(20));
  const auto sent = controls.take(now);
  check(sent && sent->update_config().config().spatial_audio().sources(0).azimuth_degrees() == 20,
        "the later place replaces the one that was kept");
  check(!controls.take(now + 10s), "nothing else is sent");
}

void textsAreUTF8() {
  for (const char* good : {"", "press-1", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x8e\xa4"}) {
    check(isText(good), good);
  }
  for (const char* bad : {"\xff", "\xc3", "\xc0\x80", "\xe2\x82", "\xed\xa0\x80", "a\x80",
                          "\xf4\x90\x80\x80", "\xf0\x80\x80\x80"}) {
    check(!isText(bad), "not UTF-8");
  }
  check(isText(std::string(1023, 'a')) && !isText(std::string(1024, 'a')), "1023 bytes at most");
}

}  // namespace

std::vector<Case> controlsCases() {
  return {
      {"of many decisions about the same, the last counts", theLastDecisionCounts},
      {"few controls are under way at once", fewControlsAreUnderWay},
      {"a request waits for its answer, which may come late", aRequestWaitsForItsAnswer},
      {"a loss leaves the decisions that nobody has answered", aLossLeavesDecisions},
      {"a new session gets the last settings", aNewSessionGetsTheLastSettings},
      {"texts are UTF-8", textsAreUTF8},
  };
}
