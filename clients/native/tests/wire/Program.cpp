#include "Program.h"

#include <thread>

#include "Checks.h"

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

Program::Program(const std::string& server, bool usesOpus) : due_(Clock::now()) {
  anechoic::Settings settings;
  settings.server = server;
  settings.format = format;
  settings.delayMilliseconds = 500;
  settings.usesOpus = usesOpus;
  voice_ = std::make_unique<anechoic::Voice>(settings, this);
}

void Program::run(std::chrono::milliseconds time) {
  for (auto left = time; left > 0ms; left -= 10ms) frame();
}

std::chrono::milliseconds Program::close() {
  const auto begin = Clock::now();
  voice_.reset();
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
}

std::vector<std::string> Program::reasons() const {
  const std::lock_guard lock(mutex_);
  return reasons_;
}

std::vector<int64_t> Program::positions() const {
  const std::lock_guard lock(mutex_);
  return positions_;
}

void Program::frame() {
  const int64_t count = format.frameSamples();
  voice_->push(
      count, [](int64_t, size_t) { return 0.25f; }, [](int64_t, size_t) { return 0.0f; });
  voice_->pull(count, [this](int64_t, size_t, float sample) { heard_.push_back(sample); });
  due_ += 10ms;
  std::this_thread::sleep_until(due_);
}

void Program::fail(const std::string& description) {
  throw Failure("waited in vain: " + description);
}

void Program::fallback(const anechoic::Reason& reason) {
  const std::lock_guard lock(mutex_);
  reasons_.push_back(reason.text());
}

void Program::event(const anechoic::v1::SessionEvent&, int64_t position) {
  const std::lock_guard lock(mutex_);
  positions_.push_back(position);
}
