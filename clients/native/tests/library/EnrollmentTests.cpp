// The enrollment of a voice.

#include <string>

#include "Checks.h"
#include "Client.h"
#include "LibraryCases.h"
#include "ServerProcess.h"

namespace {

std::string voiceprint(const Client& client) {
  std::string bytes(anechoic_copy_voiceprint(client.session(), nullptr, 0), 0);
  anechoic_copy_voiceprint(client.session(), bytes.data(), bytes.size());
  return bytes;
}

// Options of a patient client, completed by `complete`.
auto patientWith(const std::string& address, auto complete) {
  return [&address, complete](anechoic_options& options) {
    patient(address)(options);
    complete(options);
  };
}

// An engine that learns no voice.
void useTheOtherEngine(anechoic_options& options) { options.engine = "webrtc-audio-processing"; }

void enroll(anechoic_options& options) { options.enroll_voice = true; }

// Talks until the enrollment has ended.
void talk(Client& client) {
  const Samples voice = readWave(ServerProcess::sample + "/near.wav", 1);
  for (int tries = 0; tries < 4; ++tries) {
    client.drive(voice, {}, 160, true);
    if (anechoic_read_enrollment(client.session()) != ANECHOIC_ENROLLMENT_LEARNING) return;
  }
}

void aVoiceIsLearntAndKept() {
  ServerProcess server(ServerProcess::withAPage);
  server.start();
  const std::string address = server.address();
  Client client(patient(address));
  client.driveUntilProcessed();
  check(anechoic_read_enrollment(client.session()) == ANECHOIC_ENROLLMENT_NONE, "none at first");
  check(anechoic_enroll_voice(client.session()), "an enrollment begins");
  talk(client);
  check(anechoic_read_enrollment(client.session()) == ANECHOIC_ENROLLMENT_LEARNT, "it is learnt");
  const std::string learnt = voiceprint(client);
  check(!learnt.empty() && learnt.size() < 2048, "the voiceprint is told");
  server.kill();
  client.driveUntil([&] { return !client.events(ANECHOIC_EVENT_FALLBACK).empty(); }, "fallback");
  server.start();
  client.driveUntil([&] { return client.events(ANECHOIC_EVENT_PROCESSING).size() == 2; },
                    "another session");
  const auto enrollment = [&] { return server.steer("GetSession", "{}"); };
  check(enrollment().find("VOICE_ENROLLMENT_ENROLLED") != std::string::npos,
        "the next session keeps the voice: " + enrollment());
  check(voiceprint(client) == learnt, "the voiceprint is kept, too");
  check(anechoic_set_voiceprint(client.session(), nullptr, 0), "the voice is forgotten");
  client.driveUntil(
      [&] { return enrollment().find("VOICE_ENROLLMENT_ENROLLED") == std::string::npos; },
      "the nearest voice");
  check(voiceprint(client).empty(), "a forgotten voiceprint is not told");
  check(!anechoic_set_voiceprint(client.session(), "\xff\xff", 2), "these bytes are no voiceprint");
}

void aSessionBeginsWithAVoiceOrAnEnrollment() {
  ServerProcess server(ServerProcess::withAPage);
  server.start();
  const std::string address = server.address();
  std::string learnt;
  {
    Client client(patientWith(address, enroll));
    client.driveUntilProcessed();
    check(anechoic_read_enrollment(client.session()) == ANECHOIC_ENROLLMENT_LEARNING, "it learns");
    talk(client);
    learnt = voiceprint(client);
  }
  check(!learnt.empty(), "the voice is learnt");
  Client client(patientWith(address, [&](anechoic_options& options) {
    options.voiceprint = learnt.data();
    options.voiceprint_size = learnt.size();
  }));
  client.driveUntilProcessed();
  const std::string session = server.steer("GetSession", "{}");
  check(session.find("VOICE_ENROLLMENT_ENROLLED") != session.npos, "the voice is kept: " + session);
}

void anEngineThatLearnsNoVoiceRefuses() {
  ServerProcess server;
  server.start();
  const std::string address = server.address();
  Client client(patientWith(address, useTheOtherEngine));
  client.driveUntilProcessed();
  anechoic_enroll_voice(client.session());
  client.driveUntil(
      [&] { return anechoic_read_enrollment(client.session()) == ANECHOIC_ENROLLMENT_REFUSED; },
      "the refusal");
}

void aSessionThatCannotLearnBeginsWithoutThat() {
  ServerProcess server;
  server.start();
  const std::string address = server.address();
  Client client(patientWith(address, [](anechoic_options& options) {
    useTheOtherEngine(options);
    enroll(options);
  }));
  client.driveUntilProcessed();
  check(anechoic_read_enrollment(client.session()) == ANECHOIC_ENROLLMENT_REFUSED,
        "the refusal is told");
}

void anEnrollmentOutlivesASessionThatIsEnded() {
  ServerProcess server(ServerProcess::withAPage);
  server.start();
  const std::string address = server.address();
  Client client(patientWith(address, enroll));
  client.driveUntilProcessed();
  server.steer("DeleteSession", "{}");
  client.driveUntil([&] { return client.events(ANECHOIC_EVENT_PROCESSING).size() == 2; },
                    "another session");
  check(anechoic_read_enrollment(client.session()) == ANECHOIC_ENROLLMENT_LEARNING,
        "it still learns");
  const std::string session = server.steer("GetSession", "{}");
  check(session.find("VOICE_ENROLLMENT_ENROLLING") != session.npos, "as the server: " + session);
}

void aWrongVoiceprintIsRefused() {
  anechoic_options options;
  anechoic_options_init(&options);
  options.voiceprint = "voice";
  options.voiceprint_size = 5;
  char message[256];
  check(anechoic_open(&options, message, sizeof message) == nullptr, "it is refused");
  check(std::string(message) ==
            "voiceprint: this is no voiceprint; use the bytes of anechoic_copy_voiceprint",
        message);
}

}  // namespace

std::vector<Case> enrollmentCases() {
  return {
      {"a voice is learnt, kept after a restart of the server, and forgotten", aVoiceIsLearntAndKept},
      {"a session begins with a voice, or learns one", aSessionBeginsWithAVoiceOrAnEnrollment},
      {"an engine that learns no voice refuses", anEngineThatLearnsNoVoiceRefuses},
      {"a session that cannot learn a voice begins without that",
       aSessionThatCannotLearnBeginsWithoutThat},
      {"an enrollment outlives a session that is ended",
       anEnrollmentOutlivesASessionThatIsEnded},
      {"bytes that are no voiceprint are refused", aWrongVoiceprintIsRefused},
  };
}
