#pragma once

#include <spa/interfaces/audio/aec.h>
#include <spa/support/log.h>
#include <spa/support/plugin.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

// The lines that the plug-in logs.
class LogLines {
 public:
  LogLines();
  spa_log* log() { return &log_; }
  std::vector<std::string> lines() const;
  bool contain(const std::string& part) const;

 private:
  static void write(void* object, spa_log_level level, const spa_log_topic* topic, const char* file,
                    int line, const char* function, const char* format, ...);

  spa_log log_{};
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

using Arguments = std::map<std::string, std::string>;

// The plug-in, loaded and called through its C interface as module-echo-cancel does it. All
// channels get the same samples, and must give the same samples.
class Host {
 public:
  // `aec.args` without the prefix "anechoic.".
  Host(uint32_t rate, uint32_t channels, const Arguments& arguments);
  ~Host();

  // Processes one block in the audio thread's place. Returns how often that did what it must not
  // do.
  int run(const float* microphone, const float* reference, float* output, uint32_t count);
  // Processes samples in blocks, in real time or as fast as possible. Blocks of 0: of random
  // lengths.
  std::vector<float> drive(const std::vector<float>& microphone,
                           const std::vector<float>& reference, uint32_t block, bool inRealTime);

  const LogLines& log() const { return log_; }
  uint32_t rate() const { return rate_; }

  // The plug-in's file. Set before the first host.
  static std::string path;

 private:
  static constexpr uint32_t longestBlock = 8192, mostChannels = 4;

  const uint32_t rate_;
  const uint32_t channels_;
  LogLines log_;
  std::unique_ptr<char[]> memory_;
  std::vector<float> others_;  // the outputs of all channels but the first
  spa_handle* handle_;
  spa_audio_aec* aec_;
};
