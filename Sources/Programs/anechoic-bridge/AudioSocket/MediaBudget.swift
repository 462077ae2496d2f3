internal import AudioCore

/// The rule that keeps a call to real time: audio may be at most half a second ahead of the clock, which
/// may be slower than the clock of the telephone by `ClockTolerance`.
///
/// Audio that was held up in the network arrives at once. The part of it that was replaced when it was
/// missing is left out, so that the rest keeps its time, and with it its reference.
struct MediaBudget {
  /// The audio that was replaced and may still come, and that of the present burst which is left out.
  private struct Replaced {
    var seconds = 0.0
    var late = 0.0
    var last: ContinuousClock.Instant
  }

  /// The time after a replacement in which the audio that was replaced may still come at once.
  private static let patience = Duration.milliseconds(300)
  private static let most = 0.5
  private static let mostAfterSilence = 0.1
  /// More than the rounding errors of a sum, and less than a sample.
  private static let tolerance = 1e-6
  private var seconds = most
  private var last: ContinuousClock.Instant
  private var lastBurst: ContinuousClock.Instant
  private var replaced: Replaced

  init(now: ContinuousClock.Instant) {
    last = now
    lastBurst = now
    replaced = Replaced(last: now)
  }

  /// Begins with audio that has come at once: its duration, and that of its longest block. An exchange may
  /// send several blocks at a time, so audio is late only if there is more than the time since the last.
  mutating func begin(burst: Double, longest: Double, at now: ContinuousClock.Instant) {
    if now - replaced.last > Self.patience { replaced.seconds = 0 }
    let inTime = max(longest, (now - max(lastBurst, replaced.last)) / .seconds(1))
    replaced.late = min(replaced.seconds, max(0, burst - inTime))
    if burst > 0 { lastBurst = now }
  }

  /// Returns whether audio of this duration is in time, and counts it if so.
  mutating func admits(_ duration: Double, at now: ContinuousClock.Instant) -> Bool {
    if replaced.late + Self.tolerance >= duration {
      replaced.late -= duration
      replaced.seconds -= duration
      return false
    }
    return spends(duration, now)
  }

  private mutating func spends(_ duration: Double, _ now: ContinuousClock.Instant) -> Bool {
    seconds = min(Self.most, seconds + (now - last) / .seconds(1) * ClockTolerance.greatestSpeed)
    last = now
    guard duration <= seconds + Self.tolerance else { return false }
    seconds -= duration
    return true
  }

  /// Counts silence that took the place of audio which was lost.
  mutating func insert(_ duration: Double, at now: ContinuousClock.Instant) {
    _ = spends(duration, now)
  }

  /// Counts silence that took the place of audio. The audio itself may still come, and has no use then.
  mutating func replace(_ duration: Double, at now: ContinuousClock.Instant) {
    insert(duration, at: now)
    replaced.seconds += duration
    replaced.last = now
    seconds = min(seconds, Self.mostAfterSilence)
  }
}
