// The state of a session: mute, gestures, injection, voice activity.

#include <cstring>
#include <thread>

#include "Checks.h"
#include "Client.h"
#include "LibraryCases.h"
#include "ServerProcess.h"

namespace {

void stateOutlivesARestart() {
  ServerProcess server(ServerProcess::withAPage);
  server.start();
  const std::string address = server.address();
  Client client(patient(address));
  client.driveUntilProcessed();
  server.steer("SetMute", R"({"muted": true})");
  server.steer("UpdateSession",
        R"({"session": {"config": {"preferredMicMode": "MIC_MODE_VOICE_ISOLATION"}}, )"
        R"("updateMask": "config.preferredMicMode"})");
  client.driveUntil([&] { return anechoic_is_muted(client.session()); }, "mute");
  client.drive(silence(1, 16000), {}, 160, true);
  const std::string before = server.steer("GetSession", "{}");
  server.kill();
  client.driveUntil([&] { return client.events(ANECHOIC_EVENT_FALLBACK).size() >= 1; }, "fallback");
  server.start();
  const Samples heard = client.driveUntil(
      [&] { return client.events(ANECHOIC_EVENT_PROCESSING).size() == 2; }, "another session");
  for (const float value : heard) check(value == 0, "the microphone is silent all the time");
  const std::string after = server.steer("GetSession", "{}");
  check(after.find("MIC_MODE_VOICE_ISOLATION") != after.npos, "the mic mode is kept: " + after);
  check(std::string(client.events(ANECHOIC_EVENT_PROCESSING)[0].text) ==
            client.events(ANECHOIC_EVENT_PROCESSING)[1].text,
        "the name of the session is kept");
  // A request without a session counts, too.
  server.kill();
  client.driveUntil([&] { return client.events(ANECHOIC_EVENT_FALLBACK).size() >= 2; }, "fallback");
  anechoic_set_muted(client.session(), false);
  server.start();
  client.driveUntil([&] { return client.events(ANECHOIC_EVENT_PROCESSING).size() == 3; },
                    "a third");
  client.drive(silence(1, 16000), {}, 160, true);
  check(!anechoic_is_muted(client.session()), "the session is not muted");
}

// Ends a session for want of audio, and returns what is heard in the next one.
Samples heardAfterAnIdleEnd(Client& client, const ServerProcess& server, size_t sessions) {
  for (int tries = 0; server.count("reason=client_closed") < sessions; ++tries) {
    check(tries < 100, "a session without audio ends");
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  Samples heard = client.driveUntil(
      [&] { return server.count(" session started ") == sessions + 1; }, "another session");
  const Samples later = client.drive(noise(1, 16000), {}, 160, true);
  heard.insert(heard.end(), later.begin(), later.end());
  return heard;
}

void stateOutlivesAnIdleEnd() {
  ServerProcess server(ServerProcess::withAPage);
  server.start();
  const std::string address = server.address();
  Client client([&](anechoic_options& options) {
    patient(address)(options);
    // Longer than it takes to steer the session, which gets no audio meanwhile.
    options.idle_ms = 2000;
  });
  client.driveUntilProcessed();
  server.steer("UpdateSession",
        R"({"session": {"config": {"preferredMicMode": "MIC_MODE_VOICE_ISOLATION"}}, )"
        R"("updateMask": "config.preferredMicMode"})");
  anechoic_set_muted(client.session(), true);
  client.driveUntil(
      [&] { return !client.events(ANECHOIC_EVENT_MUTE_CHANGED).empty(); }, "the program's mute");
  client.drive(silence(1, 16000), {}, 160, true);
  for (const float value : heardAfterAnIdleEnd(client, server, 1)) {
    check(value == 0, "a muted microphone is silent after an idle end");
  }
  check(anechoic_is_muted(client.session()), "the program's mute is kept");
  const std::string after = server.steer("GetSession", "{}");
  check(after.find("MIC_MODE_VOICE_ISOLATION") != after.npos, "the mic mode is kept: " + after);
  check(after.find(client.events(ANECHOIC_EVENT_PROCESSING)[0].text) != after.npos,
        "the name of the session is kept: " + after);
  anechoic_set_muted(client.session(), false);
  client.driveUntil([&] { return !anechoic_is_muted(client.session()); }, "unmute");
  client.drive(silence(1, 16000), {}, 160, true);
  server.steer("SetMute", R"({"muted": true})");
  client.driveUntil([&] { return anechoic_is_muted(client.session()); }, "a watcher's mute");
  client.drive(silence(1, 16000), {}, 160, true);
  for (const float value : heardAfterAnIdleEnd(client, server, 2)) {
    check(value == 0, "so does the mute of a watcher");
  }
}

void muteIsImmediate() {
  ServerProcess server;
  server.start();
  const std::string address = server.address();
  Client client(patient(address));
  client.driveUntilProcessed();
  anechoic_set_muted(client.session(), true);
  const Samples heard = client.drive(tone(2, 16000, 200, 0.3f), {}, 160, true);
  size_t sounding = 0;
  for (const float value : heard) sounding += value != 0;
  check(sounding <= 160,
        "silence after 10 ms, with sound of before on its way: " + std::to_string(sounding));
  for (int count = 0; count < 1001; ++count) anechoic_set_muted(client.session(), count % 2 == 0);
  client.drive(silence(2, 16000), {}, 160, true);
  check(anechoic_is_muted(client.session()), "the last of many states counts");
  check(!client.events(ANECHOIC_EVENT_MUTE_CHANGED).empty(), "the server says so");
  check(client.events(ANECHOIC_EVENT_MUTE_CHANGED).back().value == 1, "it is muted");
}

// Calls a method of the server while the client is driven. Returns the answer, or the error.
template <typename Drive>
std::string ask(const ServerProcess& server, const char* method, const char* request,
                const Drive& drive) {
  std::string outcome;
  std::thread other([&] {
    try {
      outcome = server.steer(method, request);
    } catch (const Failure& failure) {
      outcome = failure.what();
    }
  });
  try {
    drive();
  } catch (...) {
    other.join();
    throw;
  }
  other.join();
  return outcome;
}

template <typename Drive>
std::string askToInject(const ServerProcess& server, const Drive& drive) {
  return ask(server, "RequestInjectionPermission", R"({"usageDescription": "News"})", drive);
}

void gesturesAreDecided() {
  ServerProcess server(ServerProcess::withAPage);
  server.start();
  const std::string address = server.address();
  Client client(patient(address));
  client.driveUntilProcessed();
  server.steer("UpdateSession",
        R"({"session": {"config": {"mute": {"gesturePolicy": "MUTE_GESTURE_POLICY_ASK", )"
        R"("gestureDecisionTimeout": "20s"}}}, "updateMask": "config.mute"})");
  const std::string outcome =
      ask(server, "ReportMuteGesture", R"({"gestureId": "press-1", "muted": true})", [&] {
        client.driveUntil([&] { return !client.events(ANECHOIC_EVENT_GESTURE_REQUESTED).empty(); },
                          "a gesture");
        const auto gesture = client.events(ANECHOIC_EVENT_GESTURE_REQUESTED)[0];
        check(gesture.value == 1 && gesture.sample > 0, "it asks to mute");
        anechoic_decide_gesture(client.session(), gesture.text, true);
        client.driveUntil([&] { return anechoic_is_muted(client.session()); }, "mute");
      });
  check(outcome.find("APPLIED") != outcome.npos, outcome);
  const auto others = client.events(ANECHOIC_EVENT_OTHER);
  check(!others.empty() && std::strstr(others[0].text, "\"eventId\":\"") != nullptr,
        "other events are JSON");
}

void injectionIsDecidedOnce() {
  ServerProcess server(ServerProcess::withAPage);
  server.start();
  const std::string address = server.address();
  Client client(patient(address));
  client.driveUntilProcessed();
  server.steer("UpdateSession",
        R"({"session": {"config": {"preferredInjectionMode": "INJECTION_MODE_SPOKEN_AUDIO"}}, )"
        R"("updateMask": "config.preferredInjectionMode"})");
  const auto asked = [&] { return client.events(ANECHOIC_EVENT_INJECTION_REQUESTED).size(); };
  const auto answered = [&] {
    size_t count = 0;
    for (const auto& event : client.events(ANECHOIC_EVENT_OTHER)) {
      count += std::strstr(event.text, "injectionPermissionChanged") != nullptr;
    }
    return count;
  };
  const std::string granted = askToInject(server, [&] {
    client.driveUntil([&] { return asked() == 1; }, "a question");
    const auto question = client.events(ANECHOIC_EVENT_INJECTION_REQUESTED)[0];
    check(question.text[0] != 0, "the client has a name");
    anechoic_decide_injection(client.session(), question.text, true);
    client.driveUntil([&] { return answered() == 1; }, "the server's answer");
  });
  check(granted.find("GRANTED") != granted.npos, granted);
  server.kill();
  client.driveUntil([&] { return !client.events(ANECHOIC_EVENT_FALLBACK).empty(); }, "fallback");
  server.start();
  client.driveUntil([&] { return client.events(ANECHOIC_EVENT_PROCESSING).size() == 2; },
                    "another session");
  const std::string again = askToInject(
      server, [&] { client.driveUntil([&] { return answered() == 2; }, "the repeated answer"); });
  check(again.find("GRANTED") != again.npos, again);
  check(asked() == 1, "the program is asked once");
}

void voiceActivityIsReported() {
  ServerProcess server;
  server.start();
  const std::string address = server.address();
  Client client([&](anechoic_options& options) {
    patient(address)(options);
    options.muted = true;
  });
  client.driveUntilProcessed();
  const Samples voice = readWave(ServerProcess::sample + "/near.wav", 1);
  client.drive(voice, {}, 160, true);
  const auto found = client.events(ANECHOIC_EVENT_VOICE_ACTIVITY);
  check(!found.empty() && found[0].value == 1 && found[0].sample > 0, "the voice has started");
  check(!client.events(ANECHOIC_EVENT_MUTED_SPEECH).empty(), "somebody talks while muted");
}

}  // namespace

std::vector<Case> stateCases() {
  return {
      {"mute, mic mode and id outlive a restart of the server", stateOutlivesARestart},
      {"mute, mic mode and id outlive a session that ends for want of audio", stateOutlivesAnIdleEnd},
      {"mute is immediate with a server, and the last of many states counts", muteIsImmediate},
      {"gestures are decided", gesturesAreDecided},
      {"injection is decided once, also for the sessions that follow", injectionIsDecidedOnce},
      {"voice activity and muted speech are reported", voiceActivityIsReported},
  };
}
