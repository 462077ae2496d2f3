#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

namespace anechoic {

// The pieces of output that came too late, and the times at which they are reported: at once, and
// then at most once in 10 s. Reads no clock.
class Lateness {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds interval{10};

  struct Report {
    int64_t milliseconds;  // the most
    int64_t pieces;
  };

  void note(int64_t milliseconds) {
    most_ = std::max(most_, milliseconds);
    ++pieces_;
  }
  // Returns a report if one is due.
  std::optional<Report> report(Time now) {
    if (pieces_ == 0 || (last_ && now - *last_ < interval)) return std::nullopt;
    last_ = now;
    const Report report{most_, pieces_};
    most_ = pieces_ = 0;
    return report;
  }

 private:
  int64_t most_ = 0, pieces_ = 0;
  std::optional<Time> last_;
};

}  // namespace anechoic
