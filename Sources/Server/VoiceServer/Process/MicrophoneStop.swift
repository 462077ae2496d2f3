/// Whether the microphone has stopped while other inputs go on, in real time: it was muted by its program,
/// or unplugged. A connection that is held up stops all inputs, and is no such stop.
struct MicrophoneStop {
  /// The time without the microphone after which it has stopped.
  static let longest = Duration.seconds(1)
  /// The longest time between samples of other inputs that go on.
  static let longestPause = Duration.milliseconds(1500)
  /// After a longer pause of the others, the microphone may have been held up with them, and comes next.
  static let shortestHoldUp = Duration.milliseconds(300)

  /// When the microphone arrived last, or the others began.
  private var since: ContinuousClock.Instant?
  private var lastOther: ContinuousClock.Instant?
  private var isKnown = false

  /// Runs per frame: no allocation, lock, log or await.
  mutating func microphoneArrived(at now: ContinuousClock.Instant) {
    (since, lastOther) = (now, now)
    isKnown = false
  }

  /// Records audio of other inputs alone. Returns true once for each stop of the microphone.
  /// Runs per frame: no allocation, lock, log or await.
  mutating func othersArrived(at now: ContinuousClock.Instant) -> Bool {
    let pause = lastOther.map { now - $0 } ?? .zero
    if lastOther == nil || pause > Self.longestPause { since = now }
    lastOther = now
    let longest = pause > Self.shortestHoldUp ? Self.longest + pause : Self.longest
    guard !isKnown, let since, now - since >= longest else { return false }
    isKnown = true
    return true
  }
}
