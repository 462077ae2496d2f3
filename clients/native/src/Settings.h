#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "Format.h"
#include "Messages.h"

namespace anechoic {

// The sound while there is no processed voice.
enum class Fallback { microphone, silence };

// TLS. The files are PEM texts.
struct Security {
  bool tls = false;
  std::string authorities;  // "": those of the system
  std::string certificateChain;
  std::string key;
  std::string serverName;  // "": the host of the address
};

// Everything that decides how a voice is processed.
struct Settings {
  std::string server = "127.0.0.1:50051";
  std::string clientName;
  std::string tokenFile;
  Security security;
  Format format{48000, 1, 0};
  std::string engine;
  v1::SessionConfig config;
  std::map<std::string, std::string> labels;
  // The ids of the named far ends, which need a playback.
  std::vector<std::string> farEnds;
  // The channels of other audio, which needs a playback. 0: none.
  uint32_t otherAudioChannels = 0;
  std::optional<v1::MicrophonePair> microphonePair;
  // The voice to keep in the mic mode VOICE_ISOLATION, and whether to learn one from the beginning.
  std::optional<v1::Voiceprint> voiceprint;
  bool enrollsVoice = false;
  bool isMuted = false;
  int64_t delayMilliseconds = 120;
  Fallback fallback = Fallback::microphone;
  bool usesOpus = false;
  // The time without audio after which the session ends. The next audio starts another. 0: no
  // limit.
  std::chrono::milliseconds idleLimit{0};
};

// Returns the problem with the address of a server, or "" if it is valid.
std::string addressProblem(const std::string& server);

// Whether the address is one of this machine.
bool isOnThisMachine(const std::string& server);

}  // namespace anechoic
