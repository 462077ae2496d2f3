internal import Glibc

/// CLOCK_MONOTONIC, the clock of device times.
enum MonotonicClock {
  static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}

extension Duration {
  /// The duration in seconds, for arithmetic with rates.
  var seconds: Double { self / .seconds(1) }

  var nanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}
