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
  const int faults = audio_thread::runInRealTime(
      microphone.size(), 16000, [&](size_t first, size_t count) {
        anechoic_push(client.session(), &microphone[first], nullptr, count);
        anechoic_is_processing(client.session());
        anechoic_set_muted(client.session(), false);
        return anechoic_pull(client.session(), &heard[first], count) != count;
      });
  check(faults == 0, "they do not allocate, lock or wait");
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
                              " --pacing real-time --loop --microphone " +
                              ServerProcess::sample +
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

void tokenIsReadAgain() {
  ServerProcess server(ServerProcess::withTokens);
  const std::string good = server.makeToken();
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
  check(std::rename(good.c_str(), token.c_str()) == 0, "the token is replaced");
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

std::vector<Case> serverCases() {
  return {
      {"the delay is constant: 48 kHz", [] { delayIsConstant(48000, 1, false); }},
      {"the delay is constant: 44.1 kHz, stereo", [] { delayIsConstant(44100, 2, false); }},
      {"the delay is constant: Opus", [] { delayIsConstant(48000, 1, true); }},
      {"push and pull never wait, even if the server stops", pushAndPullNeverWait},
      {"a new session has no debt", newSessionsHaveNoDebt},
      {"a server that stops is left, and the name of the session is kept", aServerThatStopsIsLeft},
      {"an id that is in use is left", anIdThatIsInUseIsLeft},
      {"a token is read again until the server accepts it", tokenIsReadAgain},
      {"TLS verifies the server's name", tlsVerifiesTheServer},
      {"a session without audio ends if it has an idle limit", anIdleSessionEnds},
  };
}
