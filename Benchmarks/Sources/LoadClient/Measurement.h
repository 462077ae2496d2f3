#ifndef LOAD_CLIENT_MEASUREMENT_H
#define LOAD_CLIENT_MEASUREMENT_H

#include <sys/types.h>

#include <vector>

#include "Timetable.h"

// What is learnt of a server while frames go round.
class Measurement {
 public:
  Measurement(const Timetable &timetable, pid_t server);

  // A frame was answered at `now`, so long after it was sent.
  void answered(Clock::time_point now, Clock::duration round_trip);
  // The same for the first frame of a stream after the silence.
  void answered_after_silence(Clock::duration round_trip);

  // Prints one line of JSON. Times are round trips as this client sees them. False, with a line on
  // standard error, when nothing could be measured.
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
