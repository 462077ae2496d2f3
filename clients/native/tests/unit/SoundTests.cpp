#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>
#include <vector>

#include "Capture.h"
#include "Lateness.h"
#include "OpusPackets.h"
#include "Playout.h"
#include "Signals.h"
#include "Units.h"
#include "Voice.h"

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
  path.exchange.mute.changed(false, 0, path.count);
  check(path.exchange.mute.isMuted(), "a change by somebody else came before");
  path.exchange.mute.confirm(path.exchange.mute.latest(), 8000 - delay);
  path.push(3200);
  const auto output = path.pull(3200);
  check(output[1500] == 0 && output.back() == 0.5f,
        "from the server's mute on, its output is heard: injected speech");
  path.exchange.mute.changed(false, path.count, path.count);
  check(!path.exchange.mute.isMuted(), "somebody has unmuted");
  path.push(3200);
  for (const float sample : path.pull(3200)) check(sample == 0.5f, "the output has no gap");
}

// Pushes and pulls blocks of 10 ms until so many sample frames were pushed. The processed sound at
// an output has the negative position of the microphone, as in the conformance vectors.
void run(Path& path, int64_t until, std::vector<float>& output, bool isProcessed = true) {
  while (path.count < until) {
    for (int64_t at = path.count; isProcessed && at < path.count + 160; ++at) {
      const auto value = float(delay - at - 1);
      path.exchange.voice.put(at, 1, &value);
    }
    path.push(160);
    const auto pulled = path.pull(160);
    output.insert(output.end(), pulled.begin(), pulled.end());
  }
}

// Whether no sample of the microphone from `first` to `last` is heard, raw or processed. Earlier
// sound may fade out for 10 ms.
bool isUnheard(const std::vector<float>& output, int64_t first, int64_t last) {
  for (int64_t at = first; at < last; ++at) {
    const float sample = std::abs(output.at(size_t(at + delay)));
    if (sample != 0 && (at >= first + 160 || sample > float(first))) return false;
  }
  return true;
}

void aMuteThatIsShorterThanTheDelayIsNotHeardLater() {
  for (const bool isProcessed : {true, false}) {
    Path path;
    std::vector<float> output;
    run(path, 16000, output, isProcessed);
    path.exchange.mute.request(true);
    run(path, 16800, output, isProcessed);
    path.exchange.mute.request(false);
    run(path, 24000, output, isProcessed);
    check(isUnheard(output, 16000, 16800), "what was captured between the requests is not heard");
    check(std::abs(output[16000 + delay - 400]) == float(16000 - 400 + 1),
          "what was captured before is");
    check(std::abs(output[16800 + delay + 500]) == float(16800 + 500 + 1), "and after");
  }
}

void aMuteWithoutAnAnswerIsNotHeardLater() {
  Path path;
  std::vector<float> output;
  run(path, 16000, output);
  path.exchange.mute.request(true);
  path.exchange.mute.sending(path.exchange.mute.latest(), 15000);
  run(path, 32000, output);
  path.exchange.mute.request(false);
  path.exchange.mute.sending(path.exchange.mute.latest(), 31000);
  run(path, 48000, output);
  check(isUnheard(output, 16000, 32000), "the server has muted nothing");
  check(output[32000 + delay + 500] == -float(32000 + 500 + 1), "later sound is heard");
}

void requestsBetweenTwoPullsLeakNothing() {
  Path path;
  std::vector<float> output;
  run(path, 16000, output);
  path.exchange.mute.request(true);
  path.push(80);
  path.exchange.mute.request(false);
  run(path, 24000, output);
  check(isUnheard(output, 16000, 16080), "a mute that no pull has seen");
  path.exchange.mute.request(true);
  run(path, 28000, output);
  path.exchange.mute.request(false);
  path.exchange.mute.request(true);
  run(path, 32000, output);
  const int64_t end = path.count;
  path.exchange.mute.request(false);
  run(path, 40000, output);
  check(isUnheard(output, 24080, end), "unmuted and muted again at once");
  check(std::abs(output.back()) > 0, "the end is heard");
  const auto before = output.size();
  path.exchange.mute.request(false);
  run(path, 42000, output);
  check(std::ranges::find(output.begin() + ptrdiff_t(before), output.end(), 0.0f) == output.end(),
        "to unmute again changes nothing");
}

void manyShortMutesLeakNothing() {
  Path path;
  std::vector<float> output;
  run(path, 16000, output);
  std::vector<int64_t> muted;
  for (int count = 0; count < 100; ++count) {
    path.exchange.mute.request(true);
    muted.push_back(path.count);
    run(path, path.count + 160, output);
    path.exchange.mute.request(false);
    run(path, path.count + 480, output);
  }
  run(path, path.count + 8000, output);
  for (const int64_t first : muted) {
    check(isUnheard(output, first, first + 160), "no mute is heard");
  }
  check(output.back() != 0, "the end is heard");
}

void theServersOutputCountsWhileItHasMuted() {
  Path path;
  Mute& mute = path.exchange.mute;
  std::vector<float> output;
  run(path, 16000, output);
  mute.request(true);
  mute.sending(mute.latest(), 15800);
  mute.confirm(mute.latest(), 16320);
  run(path, 17600, output);
  mute.request(false);
  run(path, 17760, output);
  check(isUnheard(output, 16000, 16160), "before the server's mute");
  mute.sending(mute.latest(), 17000);
  check(!mute.counts(mute.state(), 17100), "the server may have unmuted");
  mute.confirm(mute.latest(), 17440);
  check(mute.counts(mute.state(), 17439) && !mute.counts(mute.state(), 17440),
        "the server has unmuted, earlier than the program asked");
  run(path, 24000, output);
  check(isUnheard(output, 16000, 16320), "before the server's mute, later on");
  check(!isUnheard(output, 16800, 17440), "the server's output counts while it has muted");
  check(isUnheard(output, 17440, 17600), "until it has unmuted");
  check(output.back() != 0, "the end is heard");
}

// As after a loss of the connection: the session has resumed, and gets the audio that waits.
void aMuteByOthersIsHeldBackIfTheProgramUnmutes() {
  Path path;
  Mute& mute = path.exchange.mute;
  std::vector<float> output;
  run(path, 16000, output);
  mute.changed(true, 16160, path.count);
  run(path, 17600, output);
  mute.lost();
  mute.request(false);
  run(path, 17760, output);
  mute.sending(mute.latest(), 16960);
  run(path, 17920, output);
  mute.confirm(mute.latest(), 17120);
  run(path, 24000, output);
  check(!isUnheard(output, 16160, 17120), "the server's output counts while it has muted");
  check(isUnheard(output, 17120, 17600), "a server that unmutes too early is not heard");
  check(output.back() != 0, "the end is heard");
}

void aRequestHasThePositionOfTheMicrophone() {
  Mute mute(false);
  mute.request(true, 500);
  check(mute.latest().position == 500, "of a mute");
  mute.request(false, 1000);
  mute.request(false, 1333);
  check(mute.latest().position == 1000, "of the first request to unmute");
  mute.confirm(mute.latest(), 1400);
  mute.request(false, 2000);
  check(mute.latest().position == 2000, "of a request after a confirmed one: others may have muted");
}

void anAnswerToARepeatedRequestSaysNothingAboutTheTimeBefore() {
  Mute mute(false);
  mute.request(true);
  mute.sending(mute.latest(), 0);
  mute.confirm(mute.latest(), 1000);
  mute.request(false);
  mute.sending(mute.latest(), 2000);
  mute.sending(mute.latest(), 2000);
  mute.confirm(mute.latest(), 5000);
  check(mute.counts(mute.state(), 1999) && !mute.counts(mute.state(), 2000),
        "the server may have applied the first one");
  mute.request(true);
  mute.began(mute.latest(), 6000);
  mute.request(true);
  check(!mute.counts(mute.state(), 6500), "a request that is under way silences everything");
  mute.changed(false, 7000, 7500);
  check(mute.isMuted(), "the request came later");
  mute.confirm(mute.latest(), 8000);
  check(mute.counts(mute.state(), 6999) && !mute.counts(mute.state(), 7000) &&
            mute.counts(mute.state(), 8000),
        "somebody had unmuted for a while");
  mute.request(false);
  mute.sending(mute.latest(), 9000);
  mute.lost();
  mute.changed(false, 9500, 9600);
  check(!mute.counts(mute.state(), 9000), "a resumed session may have unmuted before the loss");
}

void theOldestSpansMerge() {
  Spans spans;
  for (int64_t at = 0; at < 2000; at += 100) spans.add(at, at + 10);
  check(spans.has(0) && spans.has(50) && spans.has(1909) && !spans.has(1910), "of too many");
  spans.add(1905, 1950);
  check(spans.has(1949) && !spans.has(1950), "spans that touch are one");
  spans.removeBefore(1900);
  check(!spans.has(50) && !spans.has(1809) && spans.has(1900), "old ones are removed");
}

void aMutedMicrophoneIsNotTheFallback() {
  Path path(true);
  path.push(3200);
  for (const float sample : path.pull(3200)) check(sample == 0, "silence");
}

// The far end is as far ahead of the microphone, and the playback as far behind, as they may be.
void aFarEndKeepsWhatIsStillToBePlayed() {
  Settings settings;
  settings.format = {16000, 1, 0, 1};
  settings.delayMilliseconds = 100;
  settings.farEnds = {"alice"};
  Voice voice(settings, nullptr);
  voice.lengthenDelay(16000);
  const auto sample = [](int64_t position) { return float(position) / float(1 << 20); };
  int64_t spoken = 0;
  const auto talk = [&](int64_t count) {
    spoken += voice.pushFarEnd(0, count, [&](int64_t frame) { return sample(spoken + frame); });
  };
  constexpr int64_t pushed = 80000, wait = 32000, farDelay = 17600;
  for (int64_t at = 0; at < pushed; at += 160) {
    talk(160);
    voice.push(160, [](int64_t, size_t) { return 0.0f; }, [](int64_t, size_t) { return 0.0f; });
  }
  talk(pushed);
  check(spoken == pushed + wait, "a far end may be ahead by 2 s");
  int64_t wrong = 0;
  const int64_t count = voice.pullPlayback(pushed, [&](int64_t frame, size_t, float heard) {
    wrong += heard != sample(pushed - wait + frame - farDelay);
  });
  check(count == wait && wrong == 0, std::to_string(wrong) + " samples were overwritten");
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
  std::atomic<bool> isOver = false;
  std::thread worker([&] {
    Mute& mute = path.exchange.mute;
    for (int64_t at = 0; !isOver; ++at) {
      const Mute::Request request = mute.latest();
      mute.sending(request, at);
      mute.confirm(request, at);
      mute.changed(at % 5 == 0, at, at);
      std::this_thread::yield();
    }
  });
  size_t pulled = 0;
  while (pulled + path.exchange.losses.unpulled < blocks * 16) {
    pulled += path.pull(160).size();
    path.process(int64_t(pulled), 8, 0.1f);
    path.exchange.mute.request(pulled % 3 == 0);
  }
  pusher.join();
  isOver = true;
  worker.join();
}

}  // namespace

std::vector<Case> soundCases() {
  return {
      {"as many samples come out as went in, at a constant delay", asManyComeOutAsWentIn},
      {"of a caller that stalls, the newest 2 s are kept", theNewestTwoSecondsAreKept},
      {"processed voice is faded in and out", processedVoiceIsFadedIn},
      {"a mute request silences at once, and until the server has muted",
       aMuteRequestSilencesAtOnce},
      {"a mute that is shorter than the delay is not heard later",
       aMuteThatIsShorterThanTheDelayIsNotHeardLater},
      {"a mute that the server never answers is not heard later",
       aMuteWithoutAnAnswerIsNotHeardLater},
      {"requests to mute and unmute between two pulls leak nothing",
       requestsBetweenTwoPullsLeakNothing},
      {"many short mutes leak nothing", manyShortMutesLeakNothing},
      {"the server's output counts from its mute on until it unmutes",
       theServersOutputCountsWhileItHasMuted},
      {"audio that was captured while others had muted is not heard after the program unmutes",
       aMuteByOthersIsHeldBackIfTheProgramUnmutes},
      {"a request has the position of the microphone", aRequestHasThePositionOfTheMicrophone},
      {"the answer to a repeated request says nothing about the time before",
       anAnswerToARepeatedRequestSaysNothingAboutTheTimeBefore},
      {"of too many muted spans, the oldest become one", theOldestSpansMerge},
      {"a muted microphone is not the fallback", aMutedMicrophoneIsNotTheFallback},
      {"a far end keeps the sound that is still to be played", aFarEndKeepsWhatIsStillToBePlayed},
      {"late sound is reported after 1 s, and then once in 10 s", latenessIsReportedSeldom},
      {"Opus moves the sound by its look-ahead", opusKeepsItsPlace},
      {"pushing and pulling run beside each other", bothSidesRunBesideEachOther},
  };
}
