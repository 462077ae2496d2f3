#include "Options.h"

#include <spa/utils/dict.h>

#include <charconv>
#include <initializer_list>
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

bool isOnThisMachine(const std::string& server) {
  for (const char* local : {"unix:", "localhost:", "[::1]:"}) {
    if (server.starts_with(local)) return true;
  }
  // A name may begin with 127, too.
  return server.starts_with("127.") && server.find_first_not_of("0123456789.:") == server.npos;
}

}  // namespace

Options Options::parse(const spa_dict* arguments) {
  Options options;
  if (arguments == nullptr) return options;
  for (uint32_t index = 0; index < arguments->n_items; ++index) {
    const spa_dict_item& item = arguments->items[index];
    const std::string key = item.key;
    if (key.starts_with(prefix)) options.set(key, item.value != nullptr ? item.value : "");
  }
  options.checkToken();
  return options;
}

void Options::set(const std::string& key, const std::string& value) {
  const std::string name = key.substr(prefix.size());
  if (name == "server") {
    if (value.find(':') == std::string::npos) refuse(key, value, "HOST:PORT or unix:PATH");
    server = value;
  } else if (name == "engine") {
    engine = value;
  } else if (name == "token-file") {
    tokenFile = value;
  } else if (name == "mic-mode") {
    micMode = choose<v1::MicMode>(key, value,
                                  {{"standard", v1::MIC_MODE_STANDARD},
                                   {"voice-isolation", v1::MIC_MODE_VOICE_ISOLATION},
                                   {"wide-spectrum", v1::MIC_MODE_WIDE_SPECTRUM}});
  } else if (name == "echo-suppression") {
    echoSuppression = choose<Level::Level>(key, value,
                                           {{"off", Level::LEVEL_UNSPECIFIED},
                                            {"low", Level::LEVEL_LOW},
                                            {"moderate", Level::LEVEL_MODERATE},
                                            {"high", Level::LEVEL_HIGH}});
  } else if (name == "noise-suppression") {
    noiseSuppression = choose<Level::Level>(key, value,
                                            {{"off", Level::LEVEL_UNSPECIFIED},
                                             {"low", Level::LEVEL_LOW},
                                             {"moderate", Level::LEVEL_MODERATE},
                                             {"high", Level::LEVEL_HIGH},
                                             {"very-high", Level::LEVEL_VERY_HIGH}});
  } else if (name == "gain-control") {
    gainControl = choose<bool>(key, value, {{"true", true}, {"false", false}});
  } else if (name == "fallback") {
    fallback =
        choose<Fallback>(key, value, {{"raw", Fallback::raw}, {"silence", Fallback::silence}});
  } else if (name == "delay-ms") {
    const char* const end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, delayMilliseconds);
    if (error != std::errc() || stop != end || delayMilliseconds < shortestDelay ||
        delayMilliseconds > longestDelay) {
      refuse(key, value, "30 to 500");
    }
  } else {
    throw OptionError("aec.args: " + key +
                      " is unknown; use server, engine, token-file, mic-mode, "
                      "echo-suppression, noise-suppression, gain-control, fallback or delay-ms");
  }
}

// Without TLS, anyone on the way could read the token.
void Options::checkToken() const {
  if (!tokenFile.empty() && !isOnThisMachine(server)) {
    throw OptionError(
        "aec.args: anechoic.token-file: a token is sent only to a server on this "
        "machine, and anechoic.server is " +
        server);
  }
}

}  // namespace anechoic
