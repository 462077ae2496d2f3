#if canImport(Glibc)
  internal import Glibc
#endif

/// Measurements of the processor time of this thread.
enum ProcessorTime {
  /// The frames of a turn. The fastest of some turns counts, because other load makes turns slower.
  private static let turn = 20
  private static let turns = 4

  /// Returns the time that `frame` takes.
  static func leastPerFrame(_ frame: () -> Void) -> Duration {
    var best = Duration.seconds(1)
    for _ in 0..<turns {
      let begin = now()
      for _ in 0..<turn { frame() }
      best = min(best, (now() - begin) / turn)
    }
    return best
  }

  private static func now() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
