internal import AudioCore

/// The rule that keeps the sound of a client to real time. A server that processes in real time reads no
/// more.
///
/// Half a second may come at once, because clients send larger blocks than a sound card does. After a pause,
/// sound that was held up follows a quarter faster than real time.
struct InputPace {
  private static let burst = 0.5
  private static let catchUp = 1.25
  private static let longestPause = 10.0

  /// The seconds that may come at once.
  private var allowance = burst
  /// The seconds that the server reads ahead of real time.
  private var credit = burst
  private var last: ContinuousClock.Instant

  init(now: ContinuousClock.Instant) { last = now }

  /// Returns the seconds that may be processed now.
  mutating func available(at now: ContinuousClock.Instant) -> Double {
    let time = (now - last) / .seconds(1)
    last = now
    allowance = min(Self.burst, allowance + time * Self.catchUp)
    credit = min(Self.longestPause, credit + time * ClockTolerance.greatestSpeed)
    return max(0, min(allowance, credit))
  }

  mutating func spend(_ seconds: Double) {
    allowance -= seconds
    credit -= seconds
  }
}
