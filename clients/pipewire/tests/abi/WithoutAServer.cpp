// The plug-in while nobody listens, which can be tested faster than in real time.

#include <algorithm>

#include "AudioThread.h"
#include "Cases.h"
#include "Checks.h"
#include "Host.h"
#include "Signals.h"

namespace {

const Arguments nobody = {{"server", "unix:/nonexistent/server.sock"}};

// The delay that docs/how-to/use-under-a-desktop.md promises.
int64_t promisedDelay(uint32_t rate, uint32_t block, int64_t milliseconds = 52) {
  const int64_t excess = int64_t(block) - rate / 100;
  return rate * milliseconds / 1000 + std::max<int64_t>(excess, 0);
}

void microphoneIsDelayedExactly() {
  struct Shape {
    uint32_t rate, channels, block;
  };
  constexpr uint32_t random = 0;
  const Shape shapes[] = {
      {48000, 1, 480}, {48000, 2, 480},    {48000, 1, 1},      {48000, 1, 17},
      {48000, 2, 333}, {48000, 1, 481},    {48000, 1, 1024},   {48000, 1, 8192},
      {44100, 2, 441}, {44100, 1, 256},    {32000, 1, random}, {24000, 2, 512},
      {16000, 1, 160}, {16000, 2, random}, {8000, 1, 4096},    {48000, 1, random}};
  for (const Shape& shape : shapes) {
    const Samples microphone = noise(3, shape.rate);
    Host host(shape.rate, shape.channels, nobody);
    const Samples heard = host.drive(microphone, silence(3, shape.rate), shape.block, false);
    const int64_t delay = promisedDelay(shape.rate, shape.block);
    check(heard == delayed(microphone, delay),
          std::to_string(shape.rate) + " Hz, blocks of " + std::to_string(shape.block) +
              ": the microphone is heard unchanged " + std::to_string(delay) + " samples later");
  }
}

void silenceCanBeChosen() {
  Host host(48000, 1, {{"server", "unix:/nonexistent/server.sock"}, {"fallback", "silence"}});
  const Samples heard = host.drive(noise(1, 48000), silence(1, 48000), 480, false);
  check(heard == silence(1, 48000), "the microphone is silent");
}

void theDelayCanBeChosen() {
  Host host(48000, 1, {{"server", "unix:/nonexistent/server.sock"}, {"delay-ms", "100"}});
  const Samples microphone = noise(1, 48000);
  const Samples heard = host.drive(microphone, silence(1, 48000), 480, false);
  check(heard == delayed(microphone, 4800), "the microphone is heard 100 ms later");
}

void outputMayReplaceInput() {
  Host host(48000, 1, nobody);
  const Samples microphone = noise(0.5, 48000);
  const Samples heard = host.drive(microphone, microphone, 480, false);
  check(heard == delayed(microphone, 2496), "the microphone is heard 52 ms later");
}

void absenceIsLoggedOnce() {
  Host host(16000, 1, nobody);
  const Samples second = silence(1, 16000);
  waitFor([&] { return host.drive(second, second, 160, true), host.log().contain("no server at"); },
          "a line about the absent server");
  host.drive(second, second, 160, true);
  check(host.log().lines().size() == 1, "retries are not logged");
}

// Each mistake is one line that names the key, and the microphone is heard.
void mistakesAreLogged() {
  struct Mistake {
    uint32_t rate, channels;
    Arguments arguments;
    std::string part;
  };
  const Mistake mistakes[] = {
      {22050, 1, {}, "audio.rate: 22050 is not supported"},
      {48000, 3, {}, "audio.channels: 3 are not supported"},
      {48000, 1, {{"mic-mode", "loud"}}, "anechoic.mic-mode: \"loud\" is not allowed"},
      {48000,
       1,
       {{"fallback", ""}},
       "anechoic.fallback: \"\" is not allowed; use one of raw, silence"},
      {48000, 1, {{"delay-ms", "10"}}, "anechoic.delay-ms: \"10\" is not allowed; use 30 to 500"},
      {48000, 1, {{"delay-ms", "40x"}}, "anechoic.delay-ms"},
      {48000, 1, {{"echo-suppression", "max"}}, "anechoic.echo-suppression"},
      {48000, 1, {{"gain-control", "maybe"}}, "anechoic.gain-control"},
      {48000, 1, {{"server", "here"}}, "anechoic.server: \"here\" is not allowed"},
      {48000, 1, {{"port", "1"}}, "anechoic.port is unknown"},
      {48000, 1, {{"engine", "a\nb"}, {"mic-mode", "a\n\x1b[1mb"}}, "mic-mode: \"a  [1mb\" is not"},
      {48000,
       1,
       {{"server", "10.0.0.1:1"}, {"token-file", "/t"}},
       "only to a server on this machine"},
      {48000,
       1,
       {{"server", "127.example.org:1"}, {"token-file", "/t"}},
       "only to a server on this machine"},
  };
  for (const Mistake& mistake : mistakes) {
    Host host(mistake.rate, mistake.channels, mistake.arguments);
    const auto lines = host.log().lines();
    check(lines.size() == 1 && lines[0].find(mistake.part) != std::string::npos,
          "the log names the mistake: " + mistake.part);
    const Samples microphone = noise(0.5, mistake.rate);
    const Samples heard = host.drive(microphone, silence(0.5, mistake.rate), 100, false);
    check(heard == delayed(microphone, promisedDelay(mistake.rate, 100)),
          "the microphone is heard");
  }
}

void tokenThatCannotBeReadIsLogged() {
  Host host(16000, 1, {{"server", "unix:/nonexistent"}, {"token-file", "/nonexistent/token"}});
  const Samples second = silence(1, 16000);
  waitFor([&] { return host.drive(second, second, 160, true), !host.log().lines().empty(); },
          "a line");
  check(host.log().contain("/nonexistent/token has no token"), "the line names the file");
}

}  // namespace

std::vector<Case> casesWithoutAServer() {
  return {
      {"the microphone is heard after a constant delay, in blocks of any length",
       microphoneIsDelayedExactly},
      {"silence can be chosen as the fallback", silenceCanBeChosen},
      {"the delay can be chosen", theDelayCanBeChosen},
      {"microphone and reference may be the same memory", outputMayReplaceInput},
      {"an absent server is logged once", absenceIsLoggedOnce},
      {"a mistake in the configuration is one line, and the microphone is heard",
       mistakesAreLogged},
      {"a token that cannot be read is one line", tokenThatCannotBeReadIsLogged},
  };
}
