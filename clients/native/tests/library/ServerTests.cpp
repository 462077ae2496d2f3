// The library with a server that comes, answers, stops, dies and refuses.

#include <signal.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>

#include "AudioThread.h"
#include "Checks.h"
#include "Client.h"
#include "LibraryCases.h"
#include "ServerProcess.h"

namespace {

std::string sample;

// Options for a server whose answers may take long on a busy machine, and which changes nothing but
// echo.
auto patient(const std::string& address, uint32_t rate = 16000) {
  return [&address, rate](anechoic_options& options) {
    options.server = address.c_str();
    options.sample_rate_hz = rate;
    options.delay_ms = 500;
    options.mic_mode = ANECHOIC_WIDE_SPECTRUM;
  };
}

// Calls a method for each session. Returns what it printed.
std::string steer(const ServerProcess& server, const std::string& method, const std::string& json) {
  const std::string output = server.folder() + "/steered";
  const std::string command = sample + "/../clients/native/tests/support/steer-sessions " +
                              server.folder() + " " + method + " '" + json + "' > " + output;
  check(std::system(command.c_str()) == 0, method + " succeeds");
  std::ifstream file(output);
  return {std::istreambuf_iterator<char>(file), {}};
}

const std::vector<std::string> withAPage = {"--http-listen", "127.0.0.1:0", "--live-page", "on"};

void delayIsConstant(uint32_t rate, uint32_t channels, bool opus) {
  ServerProcess server;
  server.start();
  const std::string address = server.address();
  Client client([&](anechoic_options& options) {
    patient(address, rate)(options);
    options.microphone_channels = channels;
    options.opus = opus;
  });
  client.driveUntilProcessed();
  // Below 1 kHz, so that Opus keeps the shape.
  const Samples white = noise(3, rate);
  Samples mono(white.size()), microphone, first;
  const size_t width = rate / 1000;
  for (size_t at = width; at < mono.size(); ++at) {
    mono[at] = mono[at - 1] + 0.1f * (white[at] - white[at - width]);
  }
  for (const float value : mono) microphone.insert(microphone.end(), channels, value);
  const Samples heard = client.drive(microphone, {}, rate / 100, true);
  for (size_t at = 0; at < heard.size(); at += channels) first.push_back(heard[at]);
  const int64_t expected = rate / 2;
  check(first != delayed(mono, expected), "the voice comes from the server");
  const int64_t found = lag(mono, first, size_t(2 * rate), rate / 2, expected + 2000);
  check(std::abs(found - expected) <= (opus ? rate / 2000 : 0),
        "the delay is " + std::to_string(found) + " and should be " + std::to_string(expected));
}

void pushAndPullNeverWait() {
  ServerProcess server;
  server.start();
  const std::string address = server.address();
  Client client(patient(address));
  client.driveUntilProcessed();
  server.send(SIGSTOP);
  const Samples microphone = noise(2, 16000);
  Samples heard(microphone.size());
  int forbidden = 0;
  std::thread audio([&] {
    audio_thread::allowOnlyWrites();
    const audio_thread::Audio audio;
    const auto begin = std::chrono::steady_clock::now();
    for (size_t first = 0; first < microphone.size(); first += 160) {
      anechoic_push(client.session(), &microphone[first], nullptr, 160);
      anechoic_pull(client.session(), &heard[first], 160);
      anechoic_is_processing(client.session());
      anechoic_set_muted(client.session(), false);
      // In real time, without a call that waits.
      while (std::chrono::steady_clock::now() <
             begin + std::chrono::microseconds(first * 1000 / 16)) {
      }
    }
    forbidden = audio_thread::forbiddenCalls();
  });
  audio.join();
  check(forbidden == 0, "they do not allocate, lock or wait");
  const Samples expected = delayed(microphone, 8000);
  check(std::equal(heard.begin() + 16000, heard.end(), expected.begin() + 16000),
        "with a stopped server, the microphone is heard unchanged");
  client.driveUntil([&] { return client.events(ANECHOIC_EVENT_FALLBACK).size() >= 1; }, "fallback");
  check(std::strstr(client.events(ANECHOIC_EVENT_FALLBACK).back().text, "does not answer"),
        "the reason");
  server.send(SIGCONT);
  client.driveUntil([&] { return client.events(ANECHOIC_EVENT_PROCESSING).size() >= 2; }, "sound");
  check(server.count("session started") == 1, "it is the same session");
}

void stateOutlivesARestart() {
  ServerProcess server(withAPage);
  server.start();
  const std::string address = server.address();
  Client client(patient(address));
  client.driveUntilProcessed();
  steer(server, "SetMute", R"({"muted": true})");
  steer(server, "UpdateSession",
        R"({"session": {"config": {"preferredMicMode": "MIC_MODE_VOICE_ISOLATION"}}, )"
        R"("updateMask": "config.preferredMicMode"})");
  client.driveUntil([&] { return anechoic_is_muted(client.session()); }, "mute");
  client.drive(silence(1, 16000), {}, 160, true);
  const std::string before = steer(server, "GetSession", "{}");
  server.kill();
  client.driveUntil([&] { return client.events(ANECHOIC_EVENT_FALLBACK).size() >= 1; }, "fallback");
  server.start();
  const Samples heard = client.driveUntil(
      [&] { return client.events(ANECHOIC_EVENT_PROCESSING).size() == 2; }, "another session");
  for (const float value : heard) check(value == 0, "the microphone is silent all the time");
  const std::string after = steer(server, "GetSession", "{}");
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

void newSessionsHaveNoDebt() {
  ServerProcess server;
  server.start();
  const std::string address = server.address();
  Client client(patient(address));
  client.driveUntilProcessed();
  server.kill();
  client.drive(silence(3, 16000), {}, 160, true);
  server.start();
  const auto begin = std::chrono::steady_clock::now();
  client.driveUntil([&] { return client.events(ANECHOIC_EVENT_PROCESSING).size() == 2; }, "sound");
  const std::chrono::duration<double> away = std::chrono::steady_clock::now() - begin;
  anechoic_losses losses;
  anechoic_read_losses(client.session(), &losses, sizeof losses);
  check(losses.unsent > 16000 * 2, "what was captured meanwhile is counted as lost");
  check(losses.late < 16000, "no old sound comes late: " + std::to_string(losses.late));
  check(away.count() < 10, "processed sound after " + std::to_string(away.count()) + " s");
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

void gesturesAreDecided() {
  ServerProcess server(withAPage);
  server.start();
  const std::string address = server.address();
  Client client(patient(address));
  client.driveUntilProcessed();
  steer(server, "UpdateSession",
        R"({"session": {"config": {"mute": {"gesturePolicy": "MUTE_GESTURE_POLICY_ASK", )"
        R"("gestureDecisionTimeout": "20s"}}}, "updateMask": "config.mute"})");
  std::string outcome;
  std::thread headset([&] {
    try {
      outcome = steer(server, "ReportMuteGesture", R"({"gestureId": "press-1", "muted": true})");
    } catch (const Failure& failure) {
      outcome = failure.what();
    }
  });
  client.driveUntil([&] { return !client.events(ANECHOIC_EVENT_GESTURE_REQUESTED).empty(); },
                    "a gesture");
  const auto gesture = client.events(ANECHOIC_EVENT_GESTURE_REQUESTED)[0];
  check(gesture.value == 1 && gesture.sample > 0, "it asks to mute");
  anechoic_decide_gesture(client.session(), gesture.text, true);
  client.driveUntil([&] { return anechoic_is_muted(client.session()); }, "mute");
  headset.join();
  check(outcome.find("APPLIED") != outcome.npos, outcome);
  const auto others = client.events(ANECHOIC_EVENT_OTHER);
  check(!others.empty() && std::strstr(others[0].text, "\"eventId\":\"") != nullptr,
        "other events are JSON");
}

// Asks for permission to inject speech while the client is driven. Returns the answer.
template <typename Drive>
std::string askToInject(const ServerProcess& server, const Drive& drive) {
  std::string outcome;
  std::thread other([&] {
    try {
      outcome = steer(server, "RequestInjectionPermission", R"({"usageDescription": "News"})");
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

void injectionIsDecidedOnce() {
  ServerProcess server(withAPage);
  server.start();
  const std::string address = server.address();
  Client client(patient(address));
  client.driveUntilProcessed();
  steer(server, "UpdateSession",
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

void aServerThatStopsIsLeft() {
  ServerProcess server({"--drain-time", "2s"});
  server.start();
  const std::string address = server.address();
  Client client(patient(address));
  client.driveUntilProcessed();
  server.send(SIGTERM);
  client.driveUntil([&] { return !client.events(ANECHOIC_EVENT_FALLBACK).empty(); }, "the end");
  check(server.count("session ended") == 1, "the session has ended");
  server.kill();
  server.start();
  client.driveUntil([&] { return client.events(ANECHOIC_EVENT_PROCESSING).size() == 2; },
                    "another session");
  const auto found = client.events(ANECHOIC_EVENT_PROCESSING);
  check(std::string(found[0].text) == found[1].text, "the name of the session is kept");
}

void anIdThatIsInUseIsLeft() {
  ServerProcess server;
  server.start();
  const std::string address = server.address();
  Client client([&](anechoic_options& options) {
    patient(address)(options);
    options.idle_ms = 3000;
  });
  client.driveUntilProcessed();
  const std::string first = client.events(ANECHOIC_EVENT_PROCESSING)[0].text;
  // Without sound, the client does not come back while another one takes the id.
  server.kill();
  std::this_thread::sleep_for(std::chrono::milliseconds(3500));
  server.start();
  const std::string command = ServerProcess::path.substr(0, ServerProcess::path.rfind('/')) +
                              "/anechoic process --server " + address + " --session-id " +
                              first.substr(first.find('/') + 1) +
                              " --pacing real-time --loop --microphone " + sample +
                              "/near.wav --output " + server.folder() +
                              "/other.wav > /dev/null 2>&1 & echo $! > " + server.folder() + "/pid";
  check(std::system(command.c_str()) == 0, "another client starts");
  waitFor([&] { return server.count("session started") == 2; }, "the id is in use");
  client.driveUntil([&] { return client.events(ANECHOIC_EVENT_PROCESSING).size() == 2; },
                    "another session");
  pid_t other = 0;
  std::ifstream(server.folder() + "/pid") >> other;
  if (other > 0) ::kill(other, SIGTERM);
  check(client.events(ANECHOIC_EVENT_PROCESSING)[1].text != first, "it has another name");
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
  const Samples voice = readWave(sample + "/near.wav", 1);
  client.drive(voice, {}, 160, true);
  const auto found = client.events(ANECHOIC_EVENT_VOICE_ACTIVITY);
  check(!found.empty() && found[0].value == 1 && found[0].sample > 0, "the voice has started");
  check(!client.events(ANECHOIC_EVENT_MUTED_SPEECH).empty(), "somebody talks while muted");
}

void tokenIsReadAgain() {
  ServerProcess server({"--authentication", "jwt", "--jwt-keys", "keys.pem", "--jwt-issuer",
                        "https://login.example", "--jwt-audience", "anechoic"});
  const std::string script =
      sample + "/../clients/native/tests/support/make-token " + server.folder();
  check(std::system(script.c_str()) == 0, "a token is made");
  server.start();
  const std::string address = server.address(), token = server.folder() + "/token";
  Client client([&](anechoic_options& options) {
    patient(address)(options);
    options.token_file = token.c_str();
  });
  client.driveUntil([&] { return client.events(ANECHOIC_EVENT_FALLBACK).size() >= 1; }, "no file");
  check(std::strstr(client.events(ANECHOIC_EVENT_FALLBACK)[0].text, "token_file: "), "the reason");
  std::ofstream(token) << "not.a.token\n";
  client.driveUntil([&] { return client.events(ANECHOIC_EVENT_FALLBACK).size() >= 2; }, "refusal");
  check(std::strstr(client.events(ANECHOIC_EVENT_FALLBACK)[1].text, "UNAUTHENTICATED: "),
        "refused");
  check(std::rename((token + ".good").c_str(), token.c_str()) == 0, "the token is replaced");
  client.driveUntilProcessed();
}

void tlsVerifiesTheServer() {
  ServerProcess server({"--tls-certificate", "server.pem", "--tls-key", "server.key"});
  const std::string make =
      "cd " + server.folder() +
      " && openssl req -x509 -newkey rsa:2048 -nodes -days 2 -keyout server.key"
      " -out server.pem -subj /CN=anechoic.example -addext"
      " subjectAltName=DNS:anechoic.example 2> /dev/null";
  check(std::system(make.c_str()) == 0, "a certificate is made");
  server.startOnAPort();
  const std::string address = server.tcpAddress(), authority = server.folder() + "/server.pem";
  for (const bool knowsTheName : {false, true}) {
    Client client([&](anechoic_options& options) {
      patient(address)(options);
      options.ca_file = authority.c_str();
      if (knowsTheName) options.server_name = "anechoic.example";
    });
    if (knowsTheName) {
      client.driveUntilProcessed();
    } else {
      client.driveUntil([&] { return !client.events(ANECHOIC_EVENT_FALLBACK).empty(); }, "refusal");
    }
  }
}

void anIdleSessionEnds() {
  ServerProcess server;
  server.start();
  const std::string address = server.address();
  Client client([&](anechoic_options& options) {
    patient(address)(options);
    options.idle_ms = 1000;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  check(server.count("session started") == 0, "without sound, there is no session");
  client.driveUntilProcessed();
  waitFor([&] { return server.count("reason=client_closed") == 1; }, "the idle session ends");
  client.driveUntil([&] { return server.count("session started") == 2; }, "another session");
}

}  // namespace

std::vector<Case> serverCases(const std::string& sampleFolder) {
  sample = sampleFolder;
  return {
      {"the delay is constant: 48 kHz", [] { delayIsConstant(48000, 1, false); }},
      {"the delay is constant: 44.1 kHz, stereo", [] { delayIsConstant(44100, 2, false); }},
      {"the delay is constant: Opus", [] { delayIsConstant(48000, 1, true); }},
      {"push and pull never wait, even if the server stops", pushAndPullNeverWait},
      {"mute, mic mode and id outlive a restart of the server", stateOutlivesARestart},
      {"a new session has no debt", newSessionsHaveNoDebt},
      {"mute is immediate with a server, and the last of many states counts", muteIsImmediate},
      {"gestures are decided", gesturesAreDecided},
      {"injection is decided once, also for the sessions that follow", injectionIsDecidedOnce},
      {"a server that stops is left, and the name of the session is kept", aServerThatStopsIsLeft},
      {"an id that is in use is left", anIdThatIsInUseIsLeft},
      {"voice activity and muted speech are reported", voiceActivityIsReported},
      {"a token is read again until the server accepts it", tokenIsReadAgain},
      {"TLS verifies the server's name", tlsVerifiesTheServer},
      {"a session without audio ends if it has an idle limit", anIdleSessionEnds},
  };
}
