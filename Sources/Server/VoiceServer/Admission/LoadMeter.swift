/// A meter of the share of a thread's time that goes into frames, smoothed over about two seconds.
struct LoadMeter {
  /// The time after which the share is computed again, in nanoseconds.
  static let period = Duration.milliseconds(100)
  private static let smoothing = Duration.seconds(2)

  private(set) var load = 0.0
  private var busyNanoseconds: Int64 = 0
  private var began: ContinuousClock.Instant?

  /// Records the time that frames took. Returns whether a period has ended. Runs per frame: no
  /// allocation, lock, log or await.
  mutating func note(nanoseconds: Int64, now: ContinuousClock.Instant) -> Bool {
    guard let began else {
      self.began = now
      return false
    }
    busyNanoseconds += nanoseconds
    let elapsed = now - began
    guard elapsed >= Self.period else { return false }
    let share = min(1, Duration.nanoseconds(busyNanoseconds) / elapsed)
    load += (share - load) * (elapsed / (elapsed + Self.smoothing))
    busyNanoseconds = 0
    self.began = now
    return true
  }
}
