#pragma once

#include <spa/support/log.h>

#include <algorithm>
#include <string>

namespace anechoic {

// Lines in PipeWire's log under the topic spa.aec.anechoic. PipeWire shows warnings and errors
// unless its log level is changed, so every change of state is a warning.
class Log {
 public:
  explicit Log(spa_log* log) : log_(log) { spa_log_topic_init(log, &topic_); }

  void error(const std::string& line) const { write(SPA_LOG_LEVEL_ERROR, line); }
  void warning(const std::string& line) const { write(SPA_LOG_LEVEL_WARN, line); }

 private:
  // A server chooses parts of a line, and must not make it two.
  void write(spa_log_level level, std::string line) const {
    const auto isControl = [](unsigned char letter) { return letter < 0x20 || letter == 0x7f; };
    std::ranges::replace_if(line, isControl, ' ');
    if (log_ != nullptr) spa_logt_lev(log_, level, &topic_, "%s", line.c_str());
  }

  spa_log* log_;
  static inline spa_log_topic topic_ = {SPA_VERSION_LOG_TOPIC, "spa.aec.anechoic",
                                        SPA_LOG_LEVEL_NONE, false};
};

}  // namespace anechoic
