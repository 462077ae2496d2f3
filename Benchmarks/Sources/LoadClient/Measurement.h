#ifndef LOAD_CLIENT_MEASUREMENT_H
#define LOAD_CLIENT_MEASUREMENT_H

#include <sys/types.h>

#include <vector>

#include "Timetable.h"

// The measurements of a server under load.
class Measurement {
 public:
  Measurement(const Timetable &timetable, pid_t server);

  // Notes that a frame was answered at `now`, after the time `round_trip`.
  void answered(Clock::time_point now, Clock::duration round_trip);
  // Notes the round trip of the first frame of a stream after the silence.
  void answered_after_silence(Clock::duration round_trip);

  // Prints one line of JSON. The times are round trips as this client sees them. Returns false, and
  // prints a line on standard error, if nothing could be measured.
  bool print(int streams);

 private:
  const Timetable &timetable_;
  const pid_t server_;
  bool has_begun_ = false;
  bool has_ended_ = false;
  double cpu_before_us_ = 0;
  double cpu_after_us_ = 0;
  std::vector<double> round_trips_us_;
  double slowest_after_silence_us_ = 0;
};

#endif
