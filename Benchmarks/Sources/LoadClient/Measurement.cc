#include "Measurement.h"

#include <algorithm>
#include <cstdio>

#include "CpuTime.h"

namespace {

double microseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::micro>(duration).count();
}

}  // namespace

Measurement::Measurement(const Timetable &timetable, pid_t server)
    : timetable_(timetable), server_(server) {}

void Measurement::answered(Clock::time_point now, Clock::duration round_trip) {
  if (now < timetable_.measured_from) return;
  if (!has_begun_) {
    has_begun_ = true;
    cpu_before_us_ = bench::cpu_time_us(server_);
  }
  if (now < timetable_.measured_to) {
    round_trips_us_.push_back(microseconds(round_trip));
  } else if (!has_ended_) {
    has_ended_ = true;
    cpu_after_us_ = bench::cpu_time_us(server_);
  }
}

void Measurement::answered_after_silence(Clock::duration round_trip) {
  slowest_after_silence_us_ = std::max(slowest_after_silence_us_, microseconds(round_trip));
}

bool Measurement::print(int streams) {
  if (timetable_.frames > 0) {
    std::printf("{\"frames\": %d}\n", timetable_.frames * streams);
    return true;
  }
  if (!has_ended_ || round_trips_us_.empty() || cpu_before_us_ < 0 || cpu_after_us_ < 0) {
    std::fprintf(stderr, "error: the server, or its process, was not there to the end\n");
    return false;
  }
  std::sort(round_trips_us_.begin(), round_trips_us_.end());
  const size_t frames = round_trips_us_.size();
  const auto expected = streams * (timetable_.measured_to - timetable_.measured_from) /
                        std::chrono::duration_cast<Clock::duration>(Timetable::kFrame);
  std::printf(
      "{\"frames\": %zu, \"load_reached\": %.3f, \"cpu_us_per_frame\": %.2f, "
      "\"median_us\": %.0f, \"p99_us\": %.0f",
      frames, static_cast<double>(frames) / static_cast<double>(expected),
      (cpu_after_us_ - cpu_before_us_) / static_cast<double>(frames), round_trips_us_[frames / 2],
      round_trips_us_[frames * 99 / 100]);
  if (timetable_.silence.count() > 0) {
    std::printf(", \"after_silence_us\": %.0f", slowest_after_silence_us_);
  }
  std::printf("}\n");
  return true;
}
