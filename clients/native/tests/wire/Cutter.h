#pragma once

#include <atomic>
#include <string>
#include <thread>

// Forwards TCP connections to a port of this machine, and resets all of them when it is told to.
class Cutter {
 public:
  explicit Cutter(int port);
  ~Cutter();
  Cutter(const Cutter&) = delete;
  Cutter& operator=(const Cutter&) = delete;

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  void cut() { ++cuts_; }

 private:
  void run();

  const int target_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<int> cuts_{0};
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};
