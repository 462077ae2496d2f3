#include "Options.h"

#include <spa/utils/dict.h>

#include <charconv>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace anechoic {

namespace {

using Level = v1::VoiceProcessing;

constexpr std::string_view prefix = "anechoic.";
constexpr int64_t shortestDelay = 30, longestDelay = 500;

[[noreturn]] void refuse(const std::string& key, const std::string& value,
                         const std::string& allowed) {
  throw OptionError("aec.args: " + key + ": \"" + value + "\" is not allowed; use " + allowed);
}

// Returns the choice that has the value as its name.
template <typename Choice>
Choice choose(const std::string& key, const std::string& value,
              std::initializer_list<std::pair<const char*, Choice>> choices) {
  std::string names;
  for (const auto& [name, choice] : choices) {
    if (value == name) return choice;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  refuse(key, value, "one of " + names);
}

void setSuppression(const std::string& value, v1::VoiceProcessing::EchoCancellation& echo) {
  const auto level = choose<Level::Level>("anechoic.echo-suppression", value,
                                          {{"off", Level::LEVEL_UNSPECIFIED},
                                           {"low", Level::LEVEL_LOW},
                                           {"moderate", Level::LEVEL_MODERATE},
                                           {"high", Level::LEVEL_HIGH}});
  echo.set_enabled(level != Level::LEVEL_UNSPECIFIED);
  echo.set_suppression(level);
}

void setSuppression(const std::string& value, v1::VoiceProcessing::NoiseSuppression& noise) {
  const auto level = choose<Level::Level>("anechoic.noise-suppression", value,
                                          {{"off", Level::LEVEL_UNSPECIFIED},
                                           {"low", Level::LEVEL_LOW},
                                           {"moderate", Level::LEVEL_MODERATE},
                                           {"high", Level::LEVEL_HIGH},
                                           {"very-high", Level::LEVEL_VERY_HIGH}});
  noise.set_enabled(level != Level::LEVEL_UNSPECIFIED);
  noise.set_level(level);
}

int64_t readDelay(const std::string& key, const std::string& value) {
  int64_t milliseconds = 0;
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, milliseconds);
  if (error != std::errc() || stop != end || milliseconds < shortestDelay ||
      milliseconds > longestDelay) {
    refuse(key, value, "30 to 500");
  }
  return milliseconds;
}

void set(const std::string& key, const std::string& value, Settings& settings) {
  const std::string name = key.substr(prefix.size());
  v1::VoiceProcessing& processing = *settings.config.mutable_voice_processing();
  if (name == "server") {
    if (!addressProblem(value).empty()) refuse(key, value, "HOST:PORT or unix:PATH");
    settings.server = value;
  } else if (name == "engine") {
    settings.engine = value;
  } else if (name == "token-file") {
    settings.tokenFile = value;
  } else if (name == "mic-mode") {
    settings.config.set_preferred_mic_mode(
        choose<v1::MicMode>(key, value,
                            {{"standard", v1::MIC_MODE_STANDARD},
                             {"voice-isolation", v1::MIC_MODE_VOICE_ISOLATION},
                             {"wide-spectrum", v1::MIC_MODE_WIDE_SPECTRUM}}));
  } else if (name == "echo-suppression") {
    setSuppression(value, *processing.mutable_echo_cancellation());
  } else if (name == "noise-suppression") {
    setSuppression(value, *processing.mutable_noise_suppression());
  } else if (name == "gain-control") {
    processing.mutable_gain_control()->set_enabled(
        choose<bool>(key, value, {{"true", true}, {"false", false}}));
  } else if (name == "fallback") {
    settings.fallback = choose<Fallback>(
        key, value, {{"raw", Fallback::microphone}, {"silence", Fallback::silence}});
  } else if (name == "delay-ms") {
    settings.delayMilliseconds = readDelay(key, value);
  } else {
    throw OptionError("aec.args: " + key +
                      " is unknown; use server, engine, token-file, mic-mode, "
                      "echo-suppression, noise-suppression, gain-control, fallback or delay-ms");
  }
}

}  // namespace

Settings defaultSettings(Format format) {
  Settings settings;
  settings.format = format;
  settings.clientName = "pipewire";
  settings.labels["client"] = "pipewire";
  settings.delayMilliseconds = 52;
  settings.idleLimit = std::chrono::seconds(10);
  settings.config.set_preferred_mic_mode(v1::MIC_MODE_STANDARD);
  // Desktops have a volume of their own for each microphone, and a controlled gain would make the
  // voice louder than the fallback.
  settings.config.mutable_voice_processing()->mutable_gain_control()->set_enabled(false);
  return settings;
}

void apply(const spa_dict* arguments, Settings& settings) {
  if (arguments == nullptr) return;
  for (uint32_t index = 0; index < arguments->n_items; ++index) {
    const spa_dict_item& item = arguments->items[index];
    const std::string key = item.key;
    if (key.starts_with(prefix)) set(key, item.value != nullptr ? item.value : "", settings);
  }
  // Without TLS, anyone on the way could read the token.
  if (!settings.tokenFile.empty() && !isOnThisMachine(settings.server)) {
    throw OptionError(
        "aec.args: anechoic.token-file: a token is sent only to a server on this "
        "machine, and anechoic.server is " +
        settings.server);
  }
}

}  // namespace anechoic
