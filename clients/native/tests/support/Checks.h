#pragma once

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

// A check that failed, in one sentence.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void check(bool condition, const std::string& sentence) {
  if (!condition) throw Failure(sentence);
}

// Waits until the condition holds. The limit only ends a test that has failed.
template <typename Condition>
void waitFor(const Condition& condition, const std::string& description) {
  for (int tries = 0; tries < 3000; ++tries) {
    if (condition()) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  throw Failure("waited in vain: " + description);
}
