#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "anechoic/v1/config.pb.h"

struct spa_dict;

namespace anechoic {

// The sound while there is no processed voice.
enum class Fallback { raw, silence };

// A mistake in `aec.args`. The message says where it is and what would be right.
struct OptionError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The settings in `aec.args`. docs/how-to/use-under-a-desktop.md describes them.
struct Options {
  std::string server = "127.0.0.1:50051";
  std::string engine;
  std::string tokenFile;
  v1::MicMode micMode = v1::MIC_MODE_STANDARD;
  // If absent, the mic mode decides. LEVEL_UNSPECIFIED: off.
  std::optional<v1::VoiceProcessing::Level> echoSuppression;
  std::optional<v1::VoiceProcessing::Level> noiseSuppression;
  // Off by default: desktops have a volume of their own for each microphone, and a controlled gain
  // would make the voice louder than the fallback.
  bool gainControl = false;
  Fallback fallback = Fallback::raw;
  int64_t delayMilliseconds = 52;

  // Throws OptionError. `arguments` may be nullptr.
  static Options parse(const spa_dict* arguments);

 private:
  void set(const std::string& key, const std::string& value);
  void checkToken() const;
};

}  // namespace anechoic
