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

  // The server sends a voice that it has learnt.
  void learn(const v1::Voiceprint& voice) { enrollment.learnt(voice, controls); }
  // The enrollment fails, or the session ends.
  void fail(v1::VoiceEnrollmentChanged::Failure failure, int64_t sample) {
    v1::SessionEvent event;
    event.set_microphone_sample(sample);
    event.mutable_voice_enrollment_changed()->set_failure(failure);
    enrollment.noted(event, controls);
  }
  void end(v1::SessionEnded::Reason reason, int64_t sample) {
    v1::SessionEvent event;
    event.set_microphone_sample(sample);
    event.mutable_session_ended()->set_reason(reason);
    enrollment.noted(event, controls);
  }
  // Sends the next request.
  v1::Control send() {
    const auto sent = controls.take(Controls::Time{1000s});
    check(sent.has_value(), "a request waits");
    return *sent;
  }
  // Sends the next request, and lets the server answer it.
  void answer(const std::string& refusal = "") { answer(send(), refusal); }
  void answer(const v1::Control& sent, const std::string& refusal = "") {
    v1::ControlResult result;
    result.set_control_id(sent.control_id());
    if (!refusal.empty()) result.mutable_refusal()->set_reason(refusal);
    const auto answered = controls.answered(result, Controls::Time{1000s});
    check(answered.has_value(), "the request is answered");
    enrollment.answered(*answered, result.has_refusal(), controls);
  }
  // Sends the next request, which is to be sent again, and loses the session.
  void decline(const std::string& reason) {
    v1::ControlResult result;
    result.set_control_id(send().control_id());
    result.mutable_refusal()->set_reason(reason);
    check(!controls.answered(result, Controls::Time{1000s}),
          "a refusal with this reason does not count");
    controls.lost();
  }
};

void aLearntVoiceIsKeptInTheNextSession() {
  Program program;
  program.enrollment.begin(program.controls);
  check(program.enrollment.state() == State::learning, "it learns");
  check(!start(program.enrollment).enroll_voice(), "the request waits for the next session");
  program.answer();
  check(start(program.enrollment).enroll_voice(), "another session goes on to learn");
  program.learn(voice());
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

void aSetVoiceReplacesAndAnEnrollmentFollows() {
  Program program;
  program.enrollment.begin(program.controls);
  program.enrollment.keep(voice("old"), program.controls);
  program.enrollment.keep(voice(), program.controls);
  for (int count = 0; count < 2; ++count) program.enrollment.begin(program.controls);
  check(program.controls.clear().empty(), "requests wait for the next session");
  program.answer();
  check(start(program.enrollment).voiceprint().encoder() == "anechoic", "the last voice is set");
  check(program.enrollment.state() == State::learning, "an enrollment follows");
  program.answer();
  check(!program.controls.take(Controls::Time{1000s}), "replaced requests are not sent");
  check(program.enrollment.state() == State::learning && start(program.enrollment).enroll_voice(),
        "the enrollment counts");
}

void aForgottenVoiceIsForgottenBeforeAnEnrollment() {
  Program program;
  program.enrollment.keep(voice(), program.controls);
  program.answer();
  program.enrollment.keep(std::nullopt, program.controls);
  check(program.controls.take(Controls::Time{1000s}).has_value(), "the request is sent");
  program.enrollment.begin(program.controls);
  program.controls.lost();
  for (const auto* reason : {"TOO_MANY_CONTROLS", "SESSION_ENDED"}) program.decline(reason);
  program.answer();
  check(!start(program.enrollment).has_voiceprint(), "the voice is forgotten first");
  program.answer();
  program.fail(v1::VoiceEnrollmentChanged::FAILURE_SEVERAL_VOICES, 10);
  check(!start(program.enrollment).has_voiceprint(), "also if the enrollment fails");
}

void aVoiceThatWasLearntTooLateIsNotTold() {
  Program program;
  program.enrollment.begin(program.controls);
  program.answer();
  program.enrollment.keep(std::nullopt, program.controls);
  program.learn(voice());
  check(program.enrollment.learnt().empty(), "not while the request waits");
  const auto sent = program.controls.take(Controls::Time{1000s});
  program.learn(voice());
  check(sent && program.enrollment.learnt().empty(), "nor while it has no answer");
  check(program.enrollment.state() == State::none, "there is no enrollment");
}

void theLastRequestCounts() {
  for (const auto* refusal : {"", "SCOPE_MISSING"}) {
    for (const auto& set : {std::optional(voice()), std::optional<v1::Voiceprint>()}) {
      Program program;
      program.enrollment.begin(program.controls);
      const auto enrollment = program.send();
      program.enrollment.keep(set, program.controls);
      program.answer(enrollment, refusal);
      check(program.enrollment.state() == State::none, "an earlier answer does not count");
      program.answer();
      check(program.enrollment.state() == State::none, "no enrollment is left");
      check(!start(program.enrollment).enroll_voice() &&
                start(program.enrollment).has_voiceprint() == set.has_value(),
            "another session keeps the voice that was set");
    }
  }
}

void theEndOfAReplacedEnrollmentDoesNotCount() {
  const auto failure = v1::VoiceEnrollmentChanged::FAILURE_TOO_LITTLE_VOICE;
  for (const bool isAgain : {true, false}) {
    Program program;
    program.enrollment.begin(program.controls);
    program.answer();
    if (isAgain) program.enrollment.begin(program.controls);
    if (!isAgain) program.enrollment.keep(voice(), program.controls);
    program.fail(failure, 10);
    const State state = isAgain ? State::learning : State::none;
    check(program.enrollment.state() == state, "not while the request waits");
    program.answer();
    check(program.enrollment.state() == state, "nor afterwards");
  }
}

void anotherEnrollmentLearnsAfterTheEndOfTheFirst() {
  Program program;
  program.enrollment.begin(program.controls);
  program.answer();
  for (const bool isLearnt : {true, false}) {
    program.enrollment.begin(program.controls);
    if (isLearnt) program.learn(voice());
    if (!isLearnt) program.fail(v1::VoiceEnrollmentChanged::FAILURE_TOO_LITTLE_VOICE, 10);
    program.answer();
    check(program.enrollment.state() == State::learning, "the second one learns");
  }
}

void anEnrollmentGoesOnAfterTheEndOfItsSession() {
  using Ended = v1::SessionEnded;
  for (const auto& [failedAt, reason, goesOn] :
       {std::tuple(500, Ended::REASON_SERVER_SHUTDOWN, true),
        std::tuple(500, Ended::REASON_CLIENT_CLOSED, false),
        std::tuple(499, Ended::REASON_SERVER_SHUTDOWN, false)}) {
    Program program;
    program.enrollment.begin(program.controls);
    program.answer();
    program.fail(v1::VoiceEnrollmentChanged::FAILURE_TOO_LITTLE_VOICE, failedAt);
    program.end(reason, 500);
    check(start(program.enrollment).enroll_voice() == goesOn, "the next session learns");
    check(program.enrollment.state() == (goesOn ? State::learning : State::tooLittleVoice),
          "the state says so");
  }
}

void whatAStartIsRefusedForIsLeftOut() {
  const std::string enrollment = "start.enroll_voice needs the scope \"enroll\"";
  const std::string voiceprint = "start.voiceprint needs the scope \"enroll\"";
  Enrollment both(voice(), true);
  check(!both.refused("start.engine: unknown"), "this is not about the voice");
  check(both.state() == State::learning, "it still learns");
  check(both.refused(enrollment) && both.state() == State::refused, "the refusal is told");
  check(!start(both).enroll_voice() && start(both).has_voiceprint(), "the voice is still kept");
  check(both.refused(voiceprint) && !start(both).has_voiceprint(), "it can be refused, too");
  check(!both.refused(enrollment) && !both.refused(voiceprint), "nothing is left to leave out");
}

void failuresAndRefusalsAreTold() {
  Program program;
  for (const auto& [failure, state] :
       {std::pair(v1::VoiceEnrollmentChanged::FAILURE_SEVERAL_VOICES, State::severalVoices),
        std::pair(v1::VoiceEnrollmentChanged::FAILURE_TOO_LITTLE_VOICE, State::tooLittleVoice)}) {
    program.enrollment.begin(program.controls);
    program.answer();
    program.fail(v1::VoiceEnrollmentChanged::FAILURE_UNSPECIFIED, 10);
    check(program.enrollment.state() == State::learning, "the begin is no end");
    program.fail(failure, 20);
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
  Program program;
  program.learn(large);
  check(program.enrollment.state() == State::none && program.enrollment.learnt().empty(),
        "a server that sends no voiceprint is not believed");
  v1::Voiceprint unknown = voice();
  unknown.GetReflection()->MutableUnknownFields(&unknown)->AddLengthDelimited(99, "more");
  program.learn(unknown);
  check(program.enrollment.learnt() == voice().SerializeAsString(),
        "what a server adds to it is left out");
}

}  // namespace

std::vector<Case> enrollmentCases() {
  return {
      {"a learnt voice is kept in the next session", aLearntVoiceIsKeptInTheNextSession},
      {"a set voice replaces requests, and an enrollment follows it",
       aSetVoiceReplacesAndAnEnrollmentFollows},
      {"a forgotten voice is forgotten before an enrollment",
       aForgottenVoiceIsForgottenBeforeAnEnrollment},
      {"a voice that was learnt too late is not told", aVoiceThatWasLearntTooLateIsNotTold},
      {"the last request counts", theLastRequestCounts},
      {"the end of a replaced enrollment does not count", theEndOfAReplacedEnrollmentDoesNotCount},
      {"another enrollment learns after the end of the first",
       anotherEnrollmentLearnsAfterTheEndOfTheFirst},
      {"an enrollment goes on after the end of its session",
       anEnrollmentGoesOnAfterTheEndOfItsSession},
      {"what a start is refused for is left out", whatAStartIsRefusedForIsLeftOut},
      {"failures and refusals of an enrollment are told", failuresAndRefusalsAreTold},
      {"only voiceprints are voiceprints", onlyVoiceprintsAreVoiceprints},
  };
}
