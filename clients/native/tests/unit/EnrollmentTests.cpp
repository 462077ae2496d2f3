#include "Enrollment.h"

#include "Units.h"

using namespace anechoic;
using namespace std::chrono_literals;

namespace {

using State = Enrollment::State;

v1::Voiceprint voice(const std::string& encoder = "anechoic") {
  v1::Voiceprint voice;
  voice.set_encoder(encoder);
  voice.set_values(std::string(128, 'v'));
  return voice;
}

v1::Start start(const Enrollment& enrollment) {
  v1::Start start;
  enrollment.apply(start);
  return start;
}

// A voice, and the requests on their way to a server.
struct Program {
  Enrollment enrollment{std::nullopt, false};
  Controls controls;

  // Sends the next request, and lets the server answer it.
  void answer(const std::string& refusal = "") {
    const Controls::Time now{1000s};
    const auto sent = controls.take(now);
    check(sent.has_value(), "a request waits");
    v1::ControlResult result;
    result.set_control_id(sent->control_id());
    if (!refusal.empty()) result.mutable_refusal()->set_reason(refusal);
    const auto answered = controls.answered(result, now);
    check(answered.has_value(), "the request is answered");
    enrollment.answered(*answered, result.has_refusal());
  }
};

void aLearntVoiceIsKeptInTheNextSession() {
  Program program;
  program.enrollment.begin(program.controls);
  check(program.enrollment.state() == State::learning, "it learns");
  check(!start(program.enrollment).enroll_voice(), "the request waits for the next session");
  program.answer();
  check(start(program.enrollment).enroll_voice(), "another session goes on to learn");
  program.enrollment.learnt(voice());
  check(program.enrollment.state() == State::learnt, "it has learnt");
  check(!start(program.enrollment).enroll_voice() && start(program.enrollment).has_voiceprint(),
        "another session keeps the voice");
  const auto read = Enrollment::voiceprint(program.enrollment.learnt());
  check(read && read->encoder() == "anechoic", "the program gets the voice as a message");
  program.enrollment.keep(std::nullopt, program.controls);
  check(program.enrollment.learnt().empty(), "a forgotten voice is not told");
  program.answer();
  check(!start(program.enrollment).has_voiceprint(), "another session keeps the nearest voice");
}

void theLastRequestCounts() {
  Program program;
  program.enrollment.keep(voice(), program.controls);
  program.enrollment.begin(program.controls);
  check(program.controls.clear().empty(), "requests wait for the next session");
  program.answer();
  check(!program.controls.take(Controls::Time{1000s}), "the earlier request is not sent");
  check(program.enrollment.state() == State::learning && start(program.enrollment).enroll_voice(),
        "the enrollment counts");
}

void failuresAndRefusalsAreTold() {
  Program program;
  for (const auto& [failure, state] :
       {std::pair(v1::VoiceEnrollmentChanged::FAILURE_SEVERAL_VOICES, State::severalVoices),
        std::pair(v1::VoiceEnrollmentChanged::FAILURE_TOO_LITTLE_VOICE, State::tooLittleVoice)}) {
    program.enrollment.begin(program.controls);
    program.answer();
    v1::VoiceEnrollmentChanged change;
    program.enrollment.noted(change);
    check(program.enrollment.state() == State::learning, "the begin is no end");
    change.set_failure(failure);
    program.enrollment.noted(change);
    check(program.enrollment.state() == state, "the failure is told");
    check(!start(program.enrollment).enroll_voice(), "another session does not learn");
  }
  program.enrollment.keep(voice(), program.controls);
  program.answer();
  program.enrollment.begin(program.controls);
  program.answer("SCOPE_MISSING");
  check(program.enrollment.state() == State::refused, "the refusal is told");
  check(start(program.enrollment).has_voiceprint(), "the voice from before is kept");
}

void onlyVoiceprintsAreVoiceprints() {
  check(Enrollment::voiceprint(voice().SerializeAsString()).has_value(), "a voiceprint");
  for (const auto& bad : {std::string(), std::string("\xff\xff"), std::string(5000, 'a'),
                          voice("").SerializeAsString(),
                          voice(std::string(64, 'e')).SerializeAsString()}) {
    check(!Enrollment::voiceprint(bad), "no voiceprint");
  }
  v1::Voiceprint large = voice();
  large.set_values(std::string(2050, 'v'));
  Enrollment enrollment(voice(), false);
  enrollment.learnt(large);
  check(enrollment.state() == State::none && enrollment.learnt().empty(),
        "a server that sends no voiceprint is not believed");
}

}  // namespace

std::vector<Case> enrollmentCases() {
  return {
      {"a learnt voice is kept in the next session", aLearntVoiceIsKeptInTheNextSession},
      {"of many requests about the voice, the last counts", theLastRequestCounts},
      {"failures and refusals of an enrollment are told", failuresAndRefusalsAreTold},
      {"only voiceprints are voiceprints", onlyVoiceprintsAreVoiceprints},
  };
}
