#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "Voice.h"

// A program with a microphone that counts time, and everything that it hears and is told.
class Program : public anechoic::Listener {
 public:
  static constexpr anechoic::Format format{16000, 1, 0};

  explicit Program(const std::string& server, bool usesOpus = false);

  // Pushes and pulls in real time until the condition holds, or for a time.
  template <typename Condition>
  void runUntil(const Condition& condition, const std::string& description) {
    for (int count = 0; count < 3000; ++count) {
      if (condition()) return;
      frame();
    }
    fail(description);
  }
  void run(std::chrono::milliseconds time);
  // Ends the voice, and returns how long that took.
  std::chrono::milliseconds close();

  anechoic::Voice& voice() { return *voice_; }
  const std::vector<float>& heard() const { return heard_; }
  // The reasons for the fallback, and the positions of the events, so far.
  std::vector<std::string> reasons() const;
  std::vector<int64_t> positions() const;

 private:
  void frame();
  [[noreturn]] static void fail(const std::string& description);
  void processing(const std::string&, const std::string&, int64_t) override {}
  void fallback(const anechoic::Reason& reason) override;
  void late(int64_t, int64_t) override {}
  void event(const anechoic::v1::SessionEvent& event, int64_t position) override;

  std::vector<float> heard_;
  std::chrono::steady_clock::time_point due_;
  mutable std::mutex mutex_;  // guards what follows
  std::vector<std::string> reasons_;
  std::vector<int64_t> positions_;
  std::unique_ptr<anechoic::Voice> voice_;
};
