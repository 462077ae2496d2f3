#pragma once

#include <chrono>

namespace anechoic {

// Wakes a thread from another one. The signal is a write to a non-blocking eventfd, as PipeWire
// itself uses it: it takes no lock and never waits, so the audio thread may call it.
class Wakeup {
 public:
  Wakeup();
  ~Wakeup();
  Wakeup(const Wakeup&) = delete;
  Wakeup& operator=(const Wakeup&) = delete;

  void signal() const noexcept;
  // Returns after a signal, or after the timeout.
  void wait(std::chrono::milliseconds timeout) const noexcept;

 private:
  const int descriptor_;
};

}  // namespace anechoic
