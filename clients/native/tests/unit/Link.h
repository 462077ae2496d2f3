#pragma once

#include <optional>
#include <vector>

#include "Checks.h"
#include "Reconnection.h"

using namespace anechoic;
using namespace std::chrono_literals;
using Kind = Ending::Kind;
using Step = Reconnection::Step;

// A virtual clock, and a session that follows the rules.
struct Link {
  explicit Link(std::chrono::milliseconds idleLimit = 0ms, double random = 0)
      : rules(idleLimit, [random] { return random; }) {}

  Reconnection rules;
  Reconnection::Time now{1000s};

  Step next() const { return rules.next(now); }
  // Lets time pass until there is something to do. Returns how long that took.
  std::chrono::milliseconds pass(std::chrono::milliseconds most = 100s) {
    const auto begin = now;
    while (next() == Step::wait && now - begin < most) now += 1ms;
    return std::chrono::duration_cast<std::chrono::milliseconds>(now - begin);
  }
  void connect() {
    check(next() == Step::connect, "an attempt is due");
    rules.connecting(now);
  }
  void run(std::chrono::milliseconds window = 10s) {
    connect();
    rules.started(now, window);
    rules.processed();
    now += Reconnection::shortSession;
  }
  void end(Kind kind, std::optional<std::chrono::milliseconds> retry = std::nullopt) {
    rules.ended(kind, retry, now);
  }
  // Ends attempts as lost, and returns the times before them.
  std::vector<int64_t> pauses(int count, Kind kind = Kind::lost) {
    std::vector<int64_t> times;
    for (int index = 0; index < count; ++index) {
      times.push_back(pass().count());
      connect();
      end(kind);
    }
    return times;
  }
};
