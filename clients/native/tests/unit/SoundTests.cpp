#include <cmath>
#include <thread>
#include <vector>

#include "Capture.h"
#include "Lateness.h"
#include "OpusPackets.h"
#include "Playout.h"
#include "Signals.h"
#include "Units.h"

using namespace anechoic;

namespace {

constexpr Format format{16000, 1, 0};
constexpr int64_t delay = 1600;

// A push side and a pull side with 100 ms between them.
struct Path {
  explicit Path(bool muted = false) : exchange(format, 100, muted) {}

  Exchange exchange;
  Capture capture{format, exchange};
  Playout playout{format, false, exchange};
  int64_t count = 0;

  // Pushes samples with their positions as values.
  void push(int64_t frames) {
    capture.push(
        frames, [&](int64_t frame, size_t) { return float(count + frame + 1); },
        [](int64_t, size_t) { return 0.0f; });
    count += frames;
  }
  std::vector<float> pull(int64_t most) {
    std::vector<float> output;
    playout.pull(most, [&](int64_t, size_t, float sample) { output.push_back(sample); });
    return output;
  }
  // Places processed samples with a value at positions of the output.
  void process(int64_t first, int64_t frames, float value) {
    for (int64_t at = first; at < first + frames; ++at) exchange.voice.put(at, 1, &value);
  }
};

void asManyComeOutAsWentIn() {
  Path path;
  path.push(100);
  check(path.pull(1000).size() == 100 && path.pull(1000).empty(), "as many as were pushed");
  path.push(3000);
  const auto output = path.pull(3000);
  check(output[delay - 100] == 1 && output.back() == float(3100 - delay), "at the delay");
}

void theNewestTwoSecondsAreKept() {
  Path path;
  path.push(16000 * 5);
  const auto output = path.pull(16000 * 5);
  check(output.size() == 32000, "2 s wait at most");
  check(path.exchange.losses.unpulled == 16000 * 3, "the rest is counted");
  check(output.back() == float(16000 * 5 - delay), "the newest are kept");
  check(output.front() == float(16000 * 3 - delay + 1), "with their delay");
}

void processedVoiceIsFadedIn() {
  Path path;
  path.process(0, 3200, 0.5f);
  path.push(3200);
  const auto output = path.pull(3200);
  check(output[0] < 0.5f && output[200] == 0.5f && output.back() == 0.5f, "within 10 ms");
  check(path.exchange.isProcessing, "the output is processed");
  path.push(3200);
  path.pull(3200);
  check(!path.exchange.isProcessing, "the output is the microphone");
}

void aMuteRequestSilencesAtOnce() {
  Path path;
  path.process(0, 16000, 0.5f);
  path.push(3200);
  path.pull(3200);
  path.exchange.mute.request(true);
  path.push(3200);
  check(path.pull(3200).back() == 0, "processed sound from before is not heard");
  path.exchange.mute.changed(false);
  check(path.exchange.mute.isMuted(), "a change by somebody else came before");
  path.exchange.mute.confirm(path.exchange.mute.latest().number, 8000);
  path.push(3200);
  const auto output = path.pull(3200);
  check(output[1500] == 0 && output.back() == 0.5f,
        "from the server's mute on, its output is heard: injected speech");
  path.exchange.mute.changed(false);
  check(!path.exchange.mute.isMuted(), "somebody has unmuted");
}

void aMutedMicrophoneIsNotTheFallback() {
  Path path(true);
  path.push(3200);
  for (const float sample : path.pull(3200)) check(sample == 0, "silence");
}

void latenessIsReportedSeldom() {
  Lateness lateness;
  Lateness::Time now{std::chrono::seconds(5)};
  check(!lateness.report(now), "nothing was late");
  lateness.note(1);
  check(!lateness.report(now), "not at once");
  lateness.note(30);
  now += std::chrono::seconds(1);
  const auto first = lateness.report(now);
  check(first->milliseconds == 30 && first->pieces == 2, "1 s later, with the most, and how many");
  lateness.note(9);
  lateness.note(4);
  now += std::chrono::seconds(9);
  check(!lateness.report(now), "then once in 10 s");
  now += std::chrono::seconds(1);
  const auto report = lateness.report(now);
  check(report->milliseconds == 9 && report->pieces == 2, "of the time since then");
}

void opusKeepsItsPlace() {
  OpusPackets packets({48000, 1, 0});
  // Noise below 1 kHz, whose shape Opus keeps.
  const Samples white = noise(1, 48000);
  Samples sent(white.size()), heard;
  for (size_t at = 48; at < sent.size(); ++at)
    sent[at] = sent[at - 1] + 0.1f * (white[at] - white[at - 48]);
  for (size_t first = 0; first < sent.size(); first += 960) {
    const auto packet = packets.encodeMicrophone({&sent[first], &sent[first] + 960});
    const Samples decoded = packets.decode(packet);
    heard.insert(heard.end(), decoded.begin(), decoded.end());
  }
  check(heard.size() == sent.size(), "there are as many samples");
  const int64_t found = lag(sent, heard, 20000, 20000, 1000);
  check(std::abs(found - packets.lookAhead()) <= 4, "later by " + std::to_string(found) +
                                                        ", and the look-ahead is " +
                                                        std::to_string(packets.lookAhead()));
  check(packets.decode("").empty() && packets.decode(std::string(3, '\xff')).empty(),
        "malformed packets have no sound");
}

// For ThreadSanitizer.
void bothSidesRunBesideEachOther() {
  Path path;
  constexpr int blocks = 20000;
  std::thread pusher([&] {
    for (int block = 0; block < blocks; ++block) path.push(16);
  });
  size_t pulled = 0;
  while (pulled + path.exchange.losses.unpulled < blocks * 16) {
    pulled += path.pull(160).size();
    path.process(int64_t(pulled), 8, 0.1f);
    path.exchange.mute.request(pulled % 3 == 0);
  }
  pusher.join();
}

}  // namespace

std::vector<Case> soundCases() {
  return {
      {"as many samples come out as went in, at a constant delay", asManyComeOutAsWentIn},
      {"of a caller that stalls, the newest 2 s are kept", theNewestTwoSecondsAreKept},
      {"processed voice is faded in and out", processedVoiceIsFadedIn},
      {"a mute request silences at once, and until the server has muted",
       aMuteRequestSilencesAtOnce},
      {"a muted microphone is not the fallback", aMutedMicrophoneIsNotTheFallback},
      {"late sound is reported after 1 s, and then once in 10 s", latenessIsReportedSeldom},
      {"Opus moves the sound by its look-ahead", opusKeepsItsPlace},
      {"pushing and pulling run beside each other", bothSidesRunBesideEachOther},
  };
}
