internal import Glibc

/// CLOCK_MONOTONIC, the clock of device times.
enum MonotonicClock {
  static var now: Duration { .nanoseconds(nanoseconds) }

  /// The time now in nanoseconds.
  static var nanoseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

extension Duration {
  /// The duration in seconds, for arithmetic with rates.
  var seconds: Double { self / .seconds(1) }
}
