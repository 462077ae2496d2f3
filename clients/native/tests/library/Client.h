#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "Signals.h"
#include "anechoic.h"

// A program that uses the library as a sound card would.
class Client {
 public:
  // The options begin with the defaults. Throws Failure if they are refused.
  template <typename Set>
  explicit Client(const Set& set) {
    anechoic_options options;
    anechoic_options_init(&options);
    set(options);
    open(options);
  }
  ~Client() { anechoic_close(session_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Pushes and pulls interleaved samples in blocks, in real time or as fast as possible. Checks
  // that neither call does what an audio thread must not.
  Samples drive(const Samples& microphone, const Samples& reference, size_t block, bool inRealTime);
  // Drives a tone until the condition holds. Returns what was heard.
  template <typename Condition>
  Samples driveUntil(const Condition& condition, const std::string& description) {
    Samples heard;
    for (int tries = 0; tries < 600; ++tries) {
      const Samples part = drive(piece(), {}, rate_ / 100, true);
      heard.insert(heard.end(), part.begin(), part.end());
      if (condition()) return heard;
    }
    fail("waited in vain: " + description);
    return {};
  }
  Samples driveUntilProcessed() {
    return driveUntil([&] { return anechoic_is_processing(session_); }, "processed sound");
  }
  // Returns the events so far with a kind.
  std::vector<anechoic_event> events(anechoic_event_kind kind);

  anechoic_session* session() const { return session_; }
  uint32_t rate() const { return rate_; }

 private:
  void open(const anechoic_options& options);
  Samples piece() const;
  [[noreturn]] static void fail(const std::string& sentence);

  anechoic_session* session_ = nullptr;
  uint32_t rate_ = 0, channels_ = 0, referenceChannels_ = 0;
  std::vector<anechoic_event> events_;
};

// Options for a server whose answers may take long on a busy machine, and which changes nothing but
// echo.
inline auto patient(const std::string& address, uint32_t rate = 16000) {
  return [&address, rate](anechoic_options& options) {
    options.server = address.c_str();
    options.sample_rate_hz = rate;
    options.delay_ms = 500;
    options.mic_mode = ANECHOIC_WIDE_SPECTRUM;
  };
}
