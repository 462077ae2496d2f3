#include "ProgramOptions.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <system_error>

#include "Certificates.h"
#include "Enrollment.h"
#include "Files.h"
#include "OpusPackets.h"
#include "Places.h"
#include "Text.h"

namespace anechoic {

namespace {

constexpr size_t largestFile = 1 << 20;

constexpr size_t longestClientName = 100;

constexpr uint32_t rates[] = {8000, 16000, 24000, 32000, 44100, 48000};

// Returns the options of a program that knows fewer fields or more.
anechoic_options read(const anechoic_options* given) {
  if (given == nullptr || given->size < firstOptionsSize || !canBeSize(given->size)) {
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

// Returns the content of the PEM file of an option, or nothing if the option is not given. An empty path is an
// error: a program whose setting is missing must not get a connection without TLS.
std::string content(const char* option, const char* path) {
  if (path == nullptr) return "";
  if (*path == 0) {
    throw OptionError(std::string(option) + ": the path is empty; use a PEM file, or NULL for none");
  }
  const std::string place = std::string(option) + ": " + path;
  std::string content;
  try {
    content = readFile(path, largestFile);
  } catch (const std::system_error& error) {
    throw OptionError(place + " cannot be read: " + readProblem(error) + "; use a PEM file");
  }
  if (content.size() > largestFile) {
    throw OptionError(place + " has more than 1 MiB; use a PEM file");
  }
  return content;
}

Security security(const anechoic_options& options) {
  const bool hasAuthorities = options.ca_file != nullptr;
  const bool hasIdentity = options.certificate_file != nullptr;
  if (hasIdentity != (options.key_file != nullptr)) {
    throw OptionError("certificate_file and key_file must be given together");
  }
  Security security;
  security.tls = options.tls || hasAuthorities || hasIdentity;
  security.authorities = content("ca_file", options.ca_file);
  security.certificateChain = content("certificate_file", options.certificate_file);
  security.key = content("key_file", options.key_file);
  security.serverName = text(options.server_name);
  if (!security.serverName.empty() && !security.tls) {
    throw OptionError("server_name: it needs TLS; set tls or ca_file");
  }
  if (!isText(security.serverName)) {
    throw OptionError("server_name: it is not UTF-8, or has more than 1023 bytes");
  }
  if (hasAuthorities) {
    if (const std::string problem = authoritiesProblem(security.authorities); !problem.empty()) {
      throw OptionError("ca_file: " + problem);
    }
  }
  if (hasIdentity) {
    const std::string problem = identityProblem(security.certificateChain, security.key);
    if (!problem.empty()) throw OptionError(problem);
  }
  return security;
}

void checkChannels(const char* name, uint32_t channels, uint32_t least) {
  if (channels >= least && channels <= 2) return;
  throw OptionError(std::string(name) + ": " + std::to_string(channels) +
                    " is not supported; use " + (least == 0 ? "0, 1 or 2" : "1 or 2"));
}

void check(const anechoic_options& options) {
  const uint32_t rate = options.sample_rate_hz;
  if (std::ranges::find(rates, rate) == std::end(rates)) {
    throw OptionError("sample_rate_hz: " + std::to_string(rate) +
                      " is not supported; use 8000, 16000, 24000, 32000, 44100 or 48000");
  }
  if (options.opus && !OpusPackets::supports(rate)) {
    throw OptionError("sample_rate_hz: " + std::to_string(rate) +
                      " is not supported with Opus; use 8000, 16000, 24000 or 48000");
  }
  checkChannels("microphone_channels", options.microphone_channels, 1);
  checkChannels("reference_channels", options.reference_channels, 0);
  checkChannels("playback_channels", options.playback_channels, 0);
  checkChannels("other_audio_channels", options.other_audio_channels, 0);
  if (options.other_audio_channels > 0 && options.playback_channels == 0) {
    throw OptionError("other_audio_channels: other audio needs playback_channels");
  }
  if (options.delay_ms < 50 || options.delay_ms > 1000) {
    throw OptionError("delay_ms: " + std::to_string(options.delay_ms) +
                      " is not allowed; use 50 to 1000");
  }
  if (const size_t size = text(options.client_name).size();
      options.client_name != nullptr && (size < 1 || size > longestClientName)) {
    throw OptionError("client_name: it has " + std::to_string(size) + " bytes; use 1 to " +
                      std::to_string(longestClientName));
  }
  for (const char* letter = options.client_name; letter != nullptr && *letter != 0; ++letter) {
    if (*letter < 0x20 || *letter > 0x7e) {
      throw OptionError("client_name: it has letters that are not printable ASCII");
    }
  }
  if (options.engine != nullptr && !isText(options.engine)) {
    throw OptionError("engine: it is not UTF-8, or has more than 1023 bytes");
  }
}

v1::MicMode micMode(int mode) {
  switch (mode) {
    case ANECHOIC_STANDARD:
      return v1::MIC_MODE_STANDARD;
    case ANECHOIC_VOICE_ISOLATION:
      return v1::MIC_MODE_VOICE_ISOLATION;
    case ANECHOIC_WIDE_SPECTRUM:
      return v1::MIC_MODE_WIDE_SPECTRUM;
  }
  throw OptionError("mic_mode: " + std::to_string(mode) +
                    " is unknown; use ANECHOIC_STANDARD (0), ANECHOIC_VOICE_ISOLATION (1) or "
                    "ANECHOIC_WIDE_SPECTRUM (2)");
}

std::vector<std::string> farEnds(const anechoic_options& options) {
  if (options.far_end_count > mostFarEnds) {
    throw OptionError("far_end_count: " + std::to_string(options.far_end_count) +
                      " is not supported; use 0 to " + std::to_string(mostFarEnds));
  }
  if (options.far_end_count == 0) return {};
  if (options.far_ends == nullptr) throw OptionError("far_ends: it is NULL, but far_end_count is not 0");
  if (options.playback_channels == 0) throw OptionError("far_ends: they need playback_channels");
  std::vector<std::string> ids;
  for (uint32_t index = 0; index < options.far_end_count; ++index) {
    const std::string id = text(options.far_ends[index]);
    const std::string place = "far_ends[" + std::to_string(index) + "]: ";
    if (!isFarEndId(id)) throw OptionError(place + "use 1 to 63 of a-z A-Z 0-9 . - and _");
    if (std::ranges::find(ids, id) != ids.end()) {
      throw OptionError(place + "\"" + id + "\" is already the id of another far end");
    }
    ids.push_back(id);
  }
  return ids;
}

std::optional<v1::MicrophonePair> microphonePair(const anechoic_options& options) {
  if (code(options.microphone_pair.pattern) == ANECHOIC_NO_PATTERN) return std::nullopt;
  if (options.microphone_channels != 2) {
    throw OptionError("microphone_pair: it needs 2 microphone_channels");
  }
  const auto pair = anechoic::pair(options.microphone_pair);
  if (!pair) {
    throw OptionError(
        "microphone_pair: use ANECHOIC_CARDIOID (1) or ANECHOIC_STEREO (2) with a spacing of 5 to "
        "50 mm");
  }
  return pair;
}

v1::OtherAudioDucking ducking(const anechoic_options& options) {
  v1::OtherAudioDucking ducking;
  ducking.set_advanced_ducking_enabled(options.advanced_ducking);
  switch (const int level = code(options.other_audio_ducking)) {
    case ANECHOIC_DUCKING_DEFAULT:
      return ducking;
    case ANECHOIC_DUCKING_MIN:
      ducking.set_level(v1::OtherAudioDucking::LEVEL_MIN);
      return ducking;
    case ANECHOIC_DUCKING_MID:
      ducking.set_level(v1::OtherAudioDucking::LEVEL_MID);
      return ducking;
    case ANECHOIC_DUCKING_MAX:
      ducking.set_level(v1::OtherAudioDucking::LEVEL_MAX);
      return ducking;
    default:
      throw OptionError("other_audio_ducking: " + std::to_string(level) +
                        " is unknown; use ANECHOIC_DUCKING_DEFAULT (0), _MIN (1), _MID (2) or "
                        "_MAX (3)");
  }
}

std::optional<v1::Voiceprint> voiceprint(const anechoic_options& options) {
  if (options.voiceprint == nullptr || options.voiceprint_size == 0) return std::nullopt;
  const auto voiceprint = Enrollment::voiceprint(
      {static_cast<const char*>(options.voiceprint), options.voiceprint_size});
  if (!voiceprint) {
    throw OptionError(
        "voiceprint: this is no voiceprint; use the bytes of anechoic_copy_voiceprint");
  }
  return voiceprint;
}

Fallback fallback(int fallback) {
  switch (fallback) {
    case ANECHOIC_FALLBACK_MICROPHONE:
      return Fallback::microphone;
    case ANECHOIC_FALLBACK_SILENCE:
      return Fallback::silence;
  }
  throw OptionError("fallback: " + std::to_string(fallback) +
                    " is unknown; use ANECHOIC_FALLBACK_MICROPHONE (0) or "
                    "ANECHOIC_FALLBACK_SILENCE (1)");
}

}  // namespace

anechoic_options defaults() {
  anechoic_options options{};
  options.sample_rate_hz = 48000;
  options.microphone_channels = 1;
  options.delay_ms = 120;
  return options;
}

Settings settings(const anechoic_options* given) {
  const anechoic_options options = read(given);
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
  settings.format.playbackChannels = options.playback_channels;
  settings.engine = text(options.engine);
  settings.farEnds = farEnds(options);
  settings.otherAudioChannels = options.other_audio_channels;
  if (const auto wanted = ducking(options); settings.otherAudioChannels > 0) {
    *settings.config.mutable_other_audio_ducking() = wanted;
  }
  settings.microphonePair = microphonePair(options);
  settings.voiceprint = voiceprint(options);
  settings.enrollsVoice = options.enroll_voice;
  if (options.spatial_audio || options.head_tracked) {
    v1::SpatialAudio& spatial = *settings.config.mutable_spatial_audio();
    spatial.set_enabled(options.spatial_audio);
    spatial.set_head_tracked(options.head_tracked);
  }
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

}  // namespace anechoic
