#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

namespace anechoic {

// The pieces of output that came too late, and the times at which they are reported: 1 s after the
// first one, because the first one is the least late, and then at most once in 10 s. Reads no clock.
class Lateness {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds first{1}, interval{10};

  struct Report {
    int64_t milliseconds;  // the greatest delay
    int64_t pieces;
  };

  void note(int64_t milliseconds) {
    most_ = std::max(most_, milliseconds);
    ++pieces_;
  }
  // Returns a report if one is due. A piece counts from the first call after it on.
  std::optional<Report> report(Time now) {
    if (pieces_ == 0) return std::nullopt;
    if (!since_) since_ = now;
    if (now - *since_ < first || (last_ && now - *last_ < interval)) return std::nullopt;
    last_ = now;
    since_.reset();
    const Report report{most_, pieces_};
    most_ = pieces_ = 0;
    return report;
  }

 private:
  int64_t most_ = 0, pieces_ = 0;
  std::optional<Time> since_, last_;  // the first piece of the next report; the last report
};

}  // namespace anechoic
