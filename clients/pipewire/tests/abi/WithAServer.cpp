// The plug-in with a server that comes, answers, stops, dies and refuses.

#include <signal.h>

#include <cmath>
#include <cstdio>
#include <fstream>

#include "AudioThread.h"
#include "Cases.h"
#include "Checks.h"
#include "Host.h"
#include "ServerProcess.h"
#include "Signals.h"

namespace {

// Arguments for a server whose answers may take long on a busy machine, and which changes nothing
// but echo.
Arguments patient(const ServerProcess& server) {
  return {{"server", server.address()},
          {"delay-ms", "500"},
          {"mic-mode", "wide-spectrum"},
          {"echo-suppression", "off"}};
}

// Plays a tone until the condition holds. Returns what was heard.
template <typename Condition>
Samples playUntil(Host& host, const Condition& condition, const std::string& description) {
  const Samples piece = tone(0.5, host.rate(), 200, 0.3f);  // 100 whole periods
  Samples heard;
  waitFor(
      [&] {
        const Samples part = host.drive(piece, silence(0.5, host.rate()), host.rate() / 100, true);
        heard.insert(heard.end(), part.begin(), part.end());
        return condition();
      },
      description);
  return heard;
}

auto logs(const Host& host, const std::string& part, size_t times = 1) {
  return [&host, part, times] {
    size_t found = 0;
    for (const std::string& line : host.log().lines())
      found += line.find(part) != std::string::npos;
    return found >= times;
  };
}

// On a busy machine the server may be late in addition.
void expectLines(const Host& host, const std::vector<std::string>& parts) {
  auto lines = host.log().lines();
  std::erase_if(lines, [](const auto& line) {
    return line.find("too late") != std::string::npos ||
           line.find("does not answer") != std::string::npos;
  });
  std::string all;
  for (const std::string& line : lines) all += "\n  " + line;
  bool same = lines.size() == parts.size();
  for (size_t index = 0; same && index < parts.size(); ++index) {
    same = lines[index].find(parts[index]) != std::string::npos;
  }
  check(same, "the log has one line for each change of state:" + all);
}

void delayIsConstant(uint32_t rate, uint32_t channels, uint32_t block) {
  ServerProcess server;
  server.start();
  Host host(rate, channels, patient(server));
  playUntil(host, logs(host, "processes the microphone"), "a session");
  const Samples microphone = noise(2.5, rate);
  const Samples heard = host.drive(microphone, silence(2.5, rate), block, true);
  const int64_t expected = rate / 2;
  check(heard != delayed(microphone, expected), "the voice comes from the server");
  for (const double second : {1.5, 2.0}) {
    const int64_t found = lag(microphone, heard, size_t(second * rate), rate / 4, expected + 400);
    check(found == expected, std::to_string(rate) + " Hz: the delay is " + std::to_string(found) +
                                 " and should be " + std::to_string(expected) + " samples");
  }
}

// Returns the echo reduction in dB while only the far end talks.
double echoReduction() {
  ServerProcess server;
  server.start();
  constexpr uint32_t rate = 48000;
  Host host(rate, 1, {{"server", server.address()}, {"delay-ms", "500"}, {"engine", "anechoic"}});
  playUntil(host, logs(host, "engine anechoic"), "a session");
  Samples microphone = readWave(ServerProcess::sample + "/microphone.wav", 3);
  Samples reference = readWave(ServerProcess::sample + "/reference.wav", 3);
  microphone.resize(8 * rate);
  reference.resize(8 * rate);
  const Samples heard = host.drive(microphone, reference, 480, true);
  return decibels(microphone, 4 * rate, 3 * rate) - decibels(heard, 4 * rate + rate / 2, 3 * rate);
}

void echoIsReduced() {
  double reduction = 0;
  // A machine that is too busy for the server hears the unprocessed microphone.
  for (int attempt = 0; attempt < 3 && reduction < 25; ++attempt) reduction = echoReduction();
  check(reduction >= 25, "the echo is reduced by " + std::to_string(reduction) + " dB");
}

// A tone passes the server as it is, so every change must be a smooth one.
void serverComesAndGoes() {
  ServerProcess server;
  Host host(48000, 1, patient(server));
  Samples heard = playUntil(host, logs(host, "no server at"), "a line about the absent server");
  const auto go = [&](const auto& condition, const std::string& description) {
    const Samples part = playUntil(host, condition, description);
    heard.insert(heard.end(), part.begin(), part.end());
  };
  server.start();
  go(logs(host, "processes the microphone"), "a session");
  server.kill();
  go(logs(host, "no server at", 2), "a second line about the absent server");
  server.start();
  go(logs(host, "processes the microphone", 2), "a second session");
  go([] { return true; }, "half a second more");
  expectLines(host, {"no server at", "processes", "no server at", "processes"});

  const Samples expected = delayed(tone(double(heard.size()) / 48000, 48000, 200, 0.3f), 24000);
  const size_t start = 24000 + 48;
  const Samples later(heard.begin() + start, heard.end());
  const float most = 1.5f * largestStep(expected);
  check(largestStep(later) < most, "no change makes a click: the largest step is " +
                                       std::to_string(largestStep(later)) + " of " +
                                       std::to_string(most));
  size_t different = 0;
  for (size_t index = start; index < heard.size(); ++index) {
    different += std::abs(heard[index] - expected[index]) > 0.05f;
  }
  check(different < heard.size() / 10, "the sound goes on: " + std::to_string(different) + " of " +
                                           std::to_string(heard.size()) + " samples differ");
}

void runNeverWaits() {
  ServerProcess server;
  server.start();
  Host host(48000, 1, patient(server));
  playUntil(host, logs(host, "processes the microphone"), "a session");
  server.send(SIGSTOP);
  const Samples microphone = noise(2, 48000);
  const Samples reference = silence(2, 48000);
  Samples heard(microphone.size());
  const int faults = audio_thread::runInRealTime(
      microphone.size(), 48000, [&](size_t first, size_t count) {
        return host.run(&microphone[first], &reference[first], &heard[first], uint32_t(count));
      });
  check(faults == 0, "run does not allocate, lock or wait");
  const Samples expected = delayed(microphone, 24000);
  check(std::equal(heard.begin() + 48000, heard.end(), expected.begin() + 48000),
        "with a stopped server, the microphone is heard unchanged");
  playUntil(host, logs(host, "does not answer"), "a line about the server that does not answer");
  server.send(SIGCONT);
  playUntil(host, logs(host, "processes the microphone", 2), "the session goes on");
  check(server.count("session started") == 1, "it is the same session");
}

// Whoever muted the microphone does not expect to be heard because a server has failed.
void mutedMicrophoneStaysSilent() {
  ServerProcess server(ServerProcess::withAPage);
  server.start();
  Host host(16000, 1, patient(server));
  playUntil(host, logs(host, "processes the microphone"), "a session");
  server.steer("SetMute", R"({"muted": true})");
  const auto expectSilence = [&](const auto& condition, const std::string& description) {
    for (const float value : playUntil(host, condition, description)) {
      if (value != 0) check(false, "the microphone is silent until there is " + description);
    }
  };
  playUntil(host, [] { return true; }, "the sound from before");
  playUntil(host, [] { return true; }, "the sound from before");
  server.kill();
  expectSilence(logs(host, "no server at"), "a line about the absent server");
  server.start();
  expectSilence(logs(host, "processes the microphone", 2), "a second session");
  expectSilence([] { return true; }, "sound of the second session");
  expectSilence([] { return true; }, "more of it");
}

void refusalIsLoggedOnce() {
  ServerProcess server;
  server.start();
  Host host(48000, 1, {{"server", server.address()}, {"engine", "steam"}});
  playUntil(host, logs(host, "refused the session"), "a refusal");
  playUntil(host, [] { return true; }, "half a second more");
  playUntil(host, [] { return true; }, "half a second more");
  expectLines(host, {"refused the session: start.engine: \"steam\""});
}

void tokenIsReadAgain() {
  ServerProcess server(ServerProcess::withTokens);
  const std::string good = server.makeToken();
  server.start();
  const std::string token = server.folder() + "/token";
  std::ofstream(token) << "not.a.token\n";
  Host host(16000, 1, {{"server", server.address()}, {"token-file", token}});
  playUntil(host, logs(host, "refused the session"), "a refusal");
  check(std::rename(good.c_str(), token.c_str()) == 0, "the token is replaced");
  playUntil(host, logs(host, "processes the microphone"), "a session");
  expectLines(host, {"refused the session: the token", "processes"});
}

void idleSessionEnds() {
  ServerProcess server;
  server.start();
  Host host(16000, 1, patient(server));
  playUntil(host, logs(host, "processes the microphone"), "a session");
  waitFor([&] { return server.count("reason=client_closed") == 1; }, "the idle session ends");
  playUntil(host, [&] { return server.count("session started") == 2; }, "another session");
  expectLines(host, {"processes"});
}

}  // namespace

std::vector<Case> casesWithAServer() {
  return {
      {"the delay is constant: 48 kHz", [] { delayIsConstant(48000, 1, 480); }},
      {"the delay is constant: 44.1 kHz, stereo, odd blocks",
       [] { delayIsConstant(44100, 2, 333); }},
      {"the delay is constant: 16 kHz, blocks of random lengths",
       [] { delayIsConstant(16000, 1, 0); }},
      {"the echo is reduced", echoIsReduced},
      {"a server that comes and goes makes no click, and one line each", serverComesAndGoes},
      {"run never waits, even if the server stops", runNeverWaits},
      {"a muted microphone stays silent when the server dies and comes back",
       mutedMicrophoneStaysSilent},
      {"a refusal is one line", refusalIsLoggedOnce},
      {"a token is read again until the server accepts it", tokenIsReadAgain},
      {"a session without audio ends, and the next audio starts another", idleSessionEnds},
  };
}
