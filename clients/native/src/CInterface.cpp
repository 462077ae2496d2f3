// The functions of anechoic.h, which describes them.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <new>
#include <stdexcept>
#include <system_error>

#include "Certificates.h"
#include "EventQueue.h"
#include "Voice.h"
#include "anechoic.h"

// The functions for programs of version 0.1 have the names of the macros.
#undef anechoic_options_init
#undef anechoic_next_event

struct anechoic_session {
  explicit anechoic_session(anechoic::Settings settings) : voice(std::move(settings), &events) {}

  anechoic::EventQueue events;
  anechoic::Voice voice;  // ends before its events
};

namespace anechoic {
namespace {

struct OptionError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The structures of version 0.1.
constexpr size_t firstOptionsSize = offsetof(anechoic_options, server_name);
constexpr size_t firstEventSize = sizeof(anechoic_event);
constexpr size_t mostFrames = INT32_MAX;
constexpr size_t largestFile = 1 << 20;

constexpr uint32_t rates[] = {8000, 16000, 24000, 32000, 44100, 48000};

anechoic_options defaults() {
  anechoic_options options{};
  options.sample_rate_hz = 48000;
  options.microphone_channels = 1;
  options.delay_ms = 120;
  return options;
}

// Returns the options of a program that knows fewer fields or more.
anechoic_options read(const anechoic_options* given) {
  if (given == nullptr || given->size < firstOptionsSize) {
    throw OptionError("size: call anechoic_options_init first");
  }
  const auto* const bytes = reinterpret_cast<const unsigned char*>(given);
  for (size_t at = sizeof(anechoic_options); at < given->size; ++at) {
    if (bytes[at] == 0) continue;
    throw OptionError("size: " + std::to_string(given->size) + " is larger than the " +
                      std::to_string(sizeof(anechoic_options)) +
                      " bytes that this version of libanechoic knows, and the option at byte " +
                      std::to_string(at) + " is set; use a later version of libanechoic");
  }
  anechoic_options options = defaults();
  std::memcpy(&options, given, std::min(given->size, sizeof options));
  return options;
}

std::string text(const char* text) { return text != nullptr ? text : ""; }

std::string readFile(const char* path) {
  if (path == nullptr) return "";
  std::ifstream file(path, std::ios::binary);
  std::string content(largestFile, '\0');
  if (file) file.read(content.data(), std::streamsize(content.size()));
  if (!file.is_open() || file.bad()) {
    throw OptionError(std::string(path) + ": the file cannot be read");
  }
  content.resize(size_t(file.gcount()));
  return content;
}

Security security(const anechoic_options& options) {
  if ((options.certificate_file == nullptr) != (options.key_file == nullptr)) {
    throw OptionError("certificate_file and key_file must be given together");
  }
  Security security;
  security.tls = options.tls || options.ca_file != nullptr || options.certificate_file != nullptr;
  security.authorities = readFile(options.ca_file);
  security.certificateChain = readFile(options.certificate_file);
  security.key = readFile(options.key_file);
  security.serverName = text(options.server_name);
  if (options.ca_file != nullptr) {
    if (const std::string problem = authoritiesProblem(security.authorities); !problem.empty()) {
      throw OptionError("ca_file: " + problem);
    }
  }
  if (options.key_file != nullptr) {
    const std::string problem = identityProblem(security.certificateChain, security.key);
    if (!problem.empty()) throw OptionError(problem);
  }
  return security;
}

void checkChannels(const char* name, uint32_t channels, uint32_t least) {
  if (channels >= least && channels <= 2) return;
  throw OptionError(std::string(name) + ": " + std::to_string(channels) +
                    " channels are not supported; use " + (least == 0 ? "0, 1 or 2" : "1 or 2"));
}

void check(const anechoic_options& options) {
  const uint32_t rate = options.sample_rate_hz;
  if (std::ranges::find(rates, rate) == std::end(rates)) {
    throw OptionError("microphone: " + std::to_string(rate) +
                      " Hz is not supported; use 8000, 16000, 24000, 32000, 44100 or 48000");
  }
  if (options.opus && !OpusPackets::supports(rate)) {
    throw OptionError("microphone: " + std::to_string(rate) +
                      " Hz is not supported with Opus; use 8000, 16000, 24000 or 48000");
  }
  checkChannels("microphone", options.microphone_channels, 1);
  checkChannels("reference", options.reference_channels, 0);
  if (options.delay_ms < 50 || options.delay_ms > 1000) {
    throw OptionError("delay_ms: " + std::to_string(options.delay_ms) +
                      " is not allowed; use 50 to 1000");
  }
  for (const char* letter = options.client_name; letter != nullptr && *letter != 0; ++letter) {
    if (*letter < 0x20 || *letter > 0x7e) {
      throw OptionError("client_name: it has letters that are not printable ASCII");
    }
  }
}

// A C program may store any number in an enumeration, which C++ must not read as one.
template <typename Enumeration>
unsigned code(const Enumeration& enumeration) {
  static_assert(sizeof enumeration == sizeof(unsigned));
  unsigned value;
  std::memcpy(&value, &enumeration, sizeof value);
  return value;
}

v1::MicMode micMode(unsigned mode) {
  switch (mode) {
    case ANECHOIC_STANDARD:
      return v1::MIC_MODE_STANDARD;
    case ANECHOIC_VOICE_ISOLATION:
      return v1::MIC_MODE_VOICE_ISOLATION;
    case ANECHOIC_WIDE_SPECTRUM:
      return v1::MIC_MODE_WIDE_SPECTRUM;
  }
  throw OptionError("mic_mode: " + std::to_string(mode) + " is unknown");
}

Fallback fallback(unsigned fallback) {
  switch (fallback) {
    case ANECHOIC_FALLBACK_MICROPHONE:
      return Fallback::microphone;
    case ANECHOIC_FALLBACK_SILENCE:
      return Fallback::silence;
  }
  throw OptionError("fallback: " + std::to_string(fallback) + " is unknown");
}

Settings settings(const anechoic_options& options) {
  check(options);
  Settings settings;
  if (options.server != nullptr) settings.server = options.server;
  if (const std::string problem = addressProblem(settings.server); !problem.empty()) {
    throw OptionError("server: " + problem);
  }
  settings.clientName = text(options.client_name);
  settings.tokenFile = text(options.token_file);
  settings.security = security(options);
  settings.format = {options.sample_rate_hz, options.microphone_channels,
                     options.reference_channels};
  settings.engine = text(options.engine);
  settings.config.set_preferred_mic_mode(micMode(code(options.mic_mode)));
  settings.config.mutable_voice_activity_detection()->set_enabled(true);
  settings.isMuted = options.muted;
  settings.delayMilliseconds = options.delay_ms;
  settings.fallback = fallback(code(options.fallback));
  settings.usesOpus = options.opus;
  constexpr uint64_t longest = 1000ull * 60 * 60 * 24 * 365;
  settings.idleLimit = std::chrono::milliseconds(std::min<uint64_t>(options.idle_ms, longest));
  return settings;
}

float toFloat(float sample) { return sample; }
float toFloat(int16_t sample) { return sample / 32768.0f; }
void set(float& target, float sample) { target = sample; }
void set(int16_t& target, float sample) {
  target = int16_t(std::lrintf(std::clamp(sample * 32768, -32768.0f, 32767.0f)));
}

template <typename Sample>
void push(anechoic_session* session, const Sample* microphone, const Sample* reference,
          size_t frames) {
  if (session == nullptr || microphone == nullptr || frames > mostFrames) return;
  const Format& format = session->voice.settings().format;
  session->voice.push(
      int64_t(frames),
      [&](int64_t frame, size_t channel) {
        return toFloat(microphone[size_t(frame) * format.channels + channel]);
      },
      [&](int64_t frame, size_t channel) {
        if (reference == nullptr) return 0.0f;
        return toFloat(reference[size_t(frame) * format.referenceChannels + channel]);
      });
}

template <typename Sample>
size_t pull(anechoic_session* session, Sample* output, size_t frames) {
  if (session == nullptr || output == nullptr || frames > mostFrames) return 0;
  const size_t channels = session->voice.settings().format.channels;
  return size_t(
      session->voice.pull(int64_t(frames), [&](int64_t frame, size_t channel, float sample) {
        set(output[size_t(frame) * channels + channel], sample);
      }));
}

// Copies a structure to a program that knows fewer fields or more, which then are 0.
template <typename Structure>
void give(const Structure& from, void* to, size_t size) {
  std::memset(to, 0, size);
  std::memcpy(to, &from, std::min(size, sizeof from));
}

}  // namespace
}  // namespace anechoic

#define EXPORT __attribute__((visibility("default")))

extern "C" {

EXPORT void anechoic_options_init(anechoic_options* options) {
  anechoic_options_init_size(options, anechoic::firstOptionsSize);
}

EXPORT void anechoic_options_init_size(anechoic_options* options, size_t size) {
  if (options == nullptr || size < sizeof options->size) return;
  anechoic_options filled = anechoic::defaults();
  filled.size = size;
  anechoic::give(filled, options, size);
}

// No exception may reach a C program.
EXPORT anechoic_session* anechoic_open(const anechoic_options* options, char* message,
                                       size_t messageSize) try {
  return new anechoic_session(anechoic::settings(anechoic::read(options)));
} catch (const std::exception& error) {
  anechoic::copyText(error.what(), message, messageSize);
  return nullptr;
}

EXPORT void anechoic_push(anechoic_session* session, const float* microphone,
                          const float* reference, size_t frames) {
  anechoic::push(session, microphone, reference, frames);
}

EXPORT void anechoic_push_int16(anechoic_session* session, const int16_t* microphone,
                                const int16_t* reference, size_t frames) {
  anechoic::push(session, microphone, reference, frames);
}

EXPORT size_t anechoic_pull(anechoic_session* session, float* output, size_t frames) {
  return anechoic::pull(session, output, frames);
}

EXPORT size_t anechoic_pull_int16(anechoic_session* session, int16_t* output, size_t frames) {
  return anechoic::pull(session, output, frames);
}

EXPORT bool anechoic_next_event(anechoic_session* session, anechoic_event* event) {
  return anechoic_next_event_size(session, event, anechoic::firstEventSize);
}

EXPORT bool anechoic_next_event_size(anechoic_session* session, anechoic_event* event,
                                     size_t size) {
  if (session == nullptr || event == nullptr) return false;
  const auto next = session->events.next();
  if (!next) return false;
  anechoic::give(*next, event, size);
  return true;
}

EXPORT void anechoic_read_losses(anechoic_session* session, anechoic_losses* losses, size_t size) {
  if (session == nullptr || losses == nullptr) return;
  const anechoic::Losses& counted = session->voice.losses();
  anechoic::give(
      anechoic_losses{counted.unsent, counted.late, counted.unpulled, counted.overlapping}, losses,
      size);
}

EXPORT bool anechoic_is_processing(anechoic_session* session) {
  return session != nullptr && session->voice.isProcessing();
}

EXPORT void anechoic_set_muted(anechoic_session* session, bool muted) {
  if (session != nullptr) session->voice.setMuted(muted);
}

EXPORT bool anechoic_is_muted(anechoic_session* session) {
  return session != nullptr && session->voice.isMuted();
}

EXPORT void anechoic_decide_gesture(anechoic_session* session, const char* id, bool accept) try {
  if (session == nullptr || id == nullptr) return;
  anechoic::v1::Control control;
  control.mutable_decide_mute_gesture()->set_gesture_id(id);
  control.mutable_decide_mute_gesture()->set_accept(accept);
  session->voice.control(std::move(control));
} catch (const std::bad_alloc&) {
}

EXPORT void anechoic_decide_injection(anechoic_session* session, const char* client,
                                      bool grant) try {
  if (session == nullptr || client == nullptr) return;
  anechoic::v1::Control control;
  control.mutable_decide_injection_permission()->set_client(client);
  control.mutable_decide_injection_permission()->set_grant(grant);
  session->voice.control(std::move(control));
} catch (const std::bad_alloc&) {
}

EXPORT void anechoic_close(anechoic_session* session) { delete session; }

}  // extern "C"
