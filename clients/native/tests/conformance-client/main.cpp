// Pushes a known signal into libanechoic in real time, and notes what comes out and what happens.

#include <anechoic.h>
#include <time.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr const char* help = R"(usage: conformance-client --server ADDRESS --output FILE [OPTION...]

Pushes a known signal into libanechoic in real time, in blocks of 10 ms, and pulls as many samples.
Writes the samples to a file, and events as JSON lines to standard output. Ends with 0, with 64 for wrong
usage, and with 2 if the library refuses an option, which one line on standard error names.

  --server ADDRESS      HOST:PORT or unix:PATH
  --output FILE         the file for the output: 16-bit little-endian samples, interleaved, as many as were
                        pushed. The first one is at time 0
  --rate HZ             8000, 16000, 24000, 32000, 44100 or 48000. Default 16000
  --channels COUNT      of the microphone, 1 or 2. Default 1
  --reference COUNT     channels of the reference, 0 to 2. The reference is the signal, half as loud. Default 0
  --seconds SECONDS     the length. Default 5
  --delay-ms TIME       Default 200
  --fallback KIND       microphone or silence. Default microphone
  --signal KIND         counter: sample n has the code 1 + n mod 30000, so the code names its time. Default.
                        tone: 200 Hz at 0.3 of full scale
  --opus                sends and receives Opus
  --muted               starts muted
  --mute-at SECONDS     mutes at a time of the signal. May be repeated
  --unmute-at SECONDS   unmutes. May be repeated
  --stall-at SECONDS    neither pushes nor pulls for the time of --stall, then pushes what was missed at once
  --stall SECONDS       Default 3
  --pause-at SECONDS    neither pushes nor pulls for the time of --pause. The signal pauses, too
  --pause SECONDS       Default 3
  --decide              accepts each gesture, and each client that asks to inject speech
  --idle-ms TIME        ends the session after this time without audio. Default 0: never
  --token-file FILE     a file with a token
  --client-name NAME    the value of the header anechoic-client
  --engine NAME         an engine of the server

Each line of standard output is one JSON object. "ms" is the time since the first block on the monotonic
clock, and "pushed" the number of sample frames that were pushed until then.

  {"ms": 0, "pushed": 0, "started": true, "monotonic_ns": 123}     the first line
  {"ms": 12, "pushed": 160, "event": "PROCESSING", "value": 0, "sample": -1, "text": "sessions/…"}
                        the names and fields of anechoic_event. text of OTHER: a SessionEvent as JSON
  {"ms": 12, "pushed": 160, "processing": true}     when anechoic_is_processing changes
  {"ms": 12, "pushed": 160, "muted": true}          when anechoic_is_muted changes
  {"ms": 12, "pushed": 160, "losses": {"unsent": 0, "late": 0, "unpulled": 0, "overlapping": 0}}
                        the last line
)";

struct Change {
  double at;
  bool muted;
};

struct Arguments {
  anechoic_options options;
  std::string server, output;
  double seconds = 5, stallAt = -1, stall = 3, pauseAt = -1, pause = 3;
  bool isTone = false, decides = false;
  std::vector<Change> changes;
};

[[noreturn]] void fail(int status, const std::string& message) {
  std::fprintf(stderr, "conformance-client: %s\n", message.c_str());
  std::exit(status);
}

double number(const std::string& name, const char* text) {
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  if (end == text || *end != 0 || !(value >= 0)) fail(64, name + ": \"" + text + "\" is no number");
  return value;
}

// Returns whether a value is the second of two words. Refuses all others.
bool isSecond(const std::string& name, const std::string& value, const std::string& first,
              const std::string& second) {
  if (value != first && value != second) {
    fail(64, name + ": \"" + value + "\" is unknown; use " + first + " or " + second);
  }
  return value == second;
}

Arguments parse(int count, char** words) {
  Arguments arguments;
  anechoic_options_init(&arguments.options);
  arguments.options.sample_rate_hz = 16000;
  arguments.options.delay_ms = 200;
  for (int index = 1; index < count; ++index) {
    const std::string name = words[index];
    if (name == "--help" || name == "-h") std::exit(std::fputs(help, stdout) < 0 ? 2 : 0);
    if (name == "--opus") {
      arguments.options.opus = true;
      continue;
    }
    if (name == "--muted") {
      arguments.options.muted = true;
      continue;
    }
    if (name == "--decide") {
      arguments.decides = true;
      continue;
    }
    if (index + 1 == count) fail(64, name + " needs a value, or is unknown; see --help");
    const char* const value = words[++index];
    if (name == "--server")
      arguments.server = value;
    else if (name == "--output")
      arguments.output = value;
    else if (name == "--rate")
      arguments.options.sample_rate_hz = uint32_t(number(name, value));
    else if (name == "--channels")
      arguments.options.microphone_channels = uint32_t(number(name, value));
    else if (name == "--reference")
      arguments.options.reference_channels = uint32_t(number(name, value));
    else if (name == "--seconds")
      arguments.seconds = number(name, value);
    else if (name == "--delay-ms")
      arguments.options.delay_ms = uint32_t(number(name, value));
    else if (name == "--idle-ms")
      arguments.options.idle_ms = uint64_t(number(name, value));
    else if (name == "--fallback") {
      arguments.options.fallback = isSecond(name, value, "microphone", "silence")
                                       ? ANECHOIC_FALLBACK_SILENCE
                                       : ANECHOIC_FALLBACK_MICROPHONE;
    } else if (name == "--signal")
      arguments.isTone = isSecond(name, value, "counter", "tone");
    else if (name == "--mute-at")
      arguments.changes.push_back({number(name, value), true});
    else if (name == "--unmute-at")
      arguments.changes.push_back({number(name, value), false});
    else if (name == "--stall-at")
      arguments.stallAt = number(name, value);
    else if (name == "--stall")
      arguments.stall = number(name, value);
    else if (name == "--pause-at")
      arguments.pauseAt = number(name, value);
    else if (name == "--pause")
      arguments.pause = number(name, value);
    else if (name == "--token-file")
      arguments.options.token_file = value;
    else if (name == "--client-name")
      arguments.options.client_name = value;
    else if (name == "--engine")
      arguments.options.engine = value;
    else
      fail(64, name + " is unknown; see --help");
  }
  if (arguments.server.empty() || arguments.output.empty()) {
    fail(64, "--server and --output are needed; see --help");
  }
  return arguments;
}

int64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t(time.tv_sec) * 1000000000 + time.tv_nsec;
}

std::string quoted(const char* text) {
  std::string result = "\"";
  for (; *text != 0; ++text) {
    const auto letter = static_cast<unsigned char>(*text);
    char escaped[8];
    if (letter == '"' || letter == '\\') {
      result += '\\';
      result += *text;
    } else if (letter < 0x20) {
      std::snprintf(escaped, sizeof escaped, "\\u%04x", letter);
      result += escaped;
    } else {
      result += *text;
    }
  }
  return result + "\"";
}

const char* nameOf(anechoic_event_kind kind) {
  constexpr const char* names[] = {"PROCESSING",
                                   "FALLBACK",
                                   "LATE",
                                   "VOICE_ACTIVITY",
                                   "MUTED_SPEECH",
                                   "MUTE_CHANGED",
                                   "GESTURE_REQUESTED",
                                   "INJECTION_REQUESTED",
                                   "OTHER"};
  return kind >= 0 && kind <= ANECHOIC_EVENT_OTHER ? names[kind] : "UNKNOWN";
}

// Runs a session in real time.
class Run {
 public:
  Run(const Arguments& arguments, anechoic_session* session)
      : arguments_(arguments), session_(session), start_(now()) {}

  void run() {
    FILE* const file = std::fopen(arguments_.output.c_str(), "wb");
    if (file == nullptr) fail(2, arguments_.output + ": " + std::strerror(errno));
    line("\"started\": true, \"monotonic_ns\": " + std::to_string(start_));
    const uint32_t rate = arguments_.options.sample_rate_hz, block = rate / 100;
    const int64_t blocks = int64_t(arguments_.seconds * 100);
    bool hasStalled = arguments_.stallAt < 0, hasPaused = arguments_.pauseAt < 0;
    int64_t paused = 0;
    for (int64_t index = 0; index < blocks; ++index) {
      const double time = double(index) / 100;
      if (!hasPaused && time >= arguments_.pauseAt) {
        hasPaused = true;
        paused = int64_t(arguments_.pause * 1e9);
      }
      int64_t due = start_ + paused + index * 10000000;
      if (!hasStalled && time >= arguments_.stallAt) {
        hasStalled = true;
        due += int64_t(arguments_.stall * 1e9);
      }
      sleepUntil(due);
      for (Change& change : changes_) {
        if (change.at < 0 || time < change.at) continue;
        anechoic_set_muted(session_, change.muted);
        change.at = -1;
      }
      step(block, file);
    }
    anechoic_losses losses;
    anechoic_read_losses(session_, &losses, sizeof losses);
    line("\"losses\": {\"unsent\": " + std::to_string(losses.unsent) + ", \"late\": " +
         std::to_string(losses.late) + ", \"unpulled\": " + std::to_string(losses.unpulled) +
         ", \"overlapping\": " + std::to_string(losses.overlapping) + "}");
    if (std::fclose(file) != 0) fail(2, arguments_.output + ": " + std::strerror(errno));
  }

 private:
  void step(uint32_t block, FILE* file) {
    const uint32_t channels = arguments_.options.microphone_channels;
    const uint32_t references = arguments_.options.reference_channels;
    std::vector<int16_t> microphone(block * channels), reference(block * references);
    std::vector<int16_t> output(block * channels);
    for (uint32_t frame = 0; frame < block; ++frame) {
      const int16_t code = signal(pushed_ + frame);
      for (uint32_t channel = 0; channel < channels; ++channel)
        microphone[frame * channels + channel] = code;
      for (uint32_t channel = 0; channel < references; ++channel) {
        reference[frame * references + channel] = int16_t(code / 2);
      }
    }
    anechoic_push_int16(session_, microphone.data(), references > 0 ? reference.data() : nullptr,
                        block);
    pushed_ += block;
    const size_t count = anechoic_pull_int16(session_, output.data(), block);
    std::fwrite(output.data(), 2 * channels, count, file);
    anechoic_event event;
    while (anechoic_next_event(session_, &event)) {
      line("\"event\": \"" + std::string(nameOf(event.kind)) +
           "\", \"value\": " + std::to_string(event.value) +
           ", \"sample\": " + std::to_string(event.sample) + ", \"text\": " + quoted(event.text));
      if (!arguments_.decides) continue;
      if (event.kind == ANECHOIC_EVENT_GESTURE_REQUESTED) {
        anechoic_decide_gesture(session_, event.text, true);
      } else if (event.kind == ANECHOIC_EVENT_INJECTION_REQUESTED) {
        anechoic_decide_injection(session_, event.text, true);
      }
    }
    note("processing", anechoic_is_processing(session_), processing_);
    note("muted", anechoic_is_muted(session_), muted_);
  }

  int16_t signal(int64_t sample) const {
    if (!arguments_.isTone) return int16_t(1 + sample % 30000);
    const double time = double(sample) / arguments_.options.sample_rate_hz;
    return int16_t(std::lrint(0.3 * 32767 * std::sin(2 * M_PI * 200 * time)));
  }

  void note(const char* name, bool value, int& last) {
    if (last == int(value)) return;
    last = value;
    line(std::string("\"") + name + "\": " + (value ? "true" : "false"));
  }

  void line(const std::string& fields) const {
    std::printf("{\"ms\": %.1f, \"pushed\": %lld, %s}\n", double(now() - start_) / 1e6,
                static_cast<long long>(pushed_), fields.c_str());
    std::fflush(stdout);
  }

  static void sleepUntil(int64_t time) {
    const timespec due{time_t(time / 1000000000), long(time % 1000000000)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, nullptr);
  }

  const Arguments& arguments_;
  anechoic_session* const session_;
  const int64_t start_;
  std::vector<Change> changes_ = arguments_.changes;
  int64_t pushed_ = 0;
  int processing_ = -1, muted_ = -1;
};

}  // namespace

int main(int count, char** words) {
  Arguments arguments = parse(count, words);
  arguments.options.server = arguments.server.c_str();
  char message[300];
  anechoic_session* const session = anechoic_open(&arguments.options, message, sizeof message);
  if (session == nullptr) fail(2, message);
  Run(arguments, session).run();
  anechoic_close(session);
}
