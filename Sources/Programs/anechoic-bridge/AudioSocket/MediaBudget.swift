/// The rule that keeps a call to real time: audio may be at most half a second ahead of the clock, which
/// may be 0.1 % slower than the clock of the telephone.
///
/// Audio that was held up in the network arrives at once. The sound of that time was replaced when it
/// was missing, so most of it is left out.
struct MediaBudget {
  private static let most = 0.5
  private static let mostAfterSilence = 0.1
  /// More than the rounding errors of a sum, and less than a sample.
  private static let tolerance = 1e-6
  private static let speed = 1.001
  private var seconds = most
  private var last: ContinuousClock.Instant

  init(now: ContinuousClock.Instant) { last = now }

  /// Returns whether audio of this duration is in time, and counts it if so.
  mutating func admits(_ duration: Double, at now: ContinuousClock.Instant) -> Bool {
    seconds = min(Self.most, seconds + (now - last) / .seconds(1) * Self.speed)
    last = now
    guard duration <= seconds + Self.tolerance else { return false }
    seconds -= duration
    return true
  }

  /// Counts silence that took the place of audio. The audio itself may still come, and has no use then.
  mutating func replace(_ duration: Double, at now: ContinuousClock.Instant) {
    _ = admits(duration, at: now)
    seconds = min(seconds, Self.mostAfterSilence)
  }
}
