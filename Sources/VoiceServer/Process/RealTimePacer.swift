internal import GRPCTransport

/// The rule that holds back a client that sends faster than real time. While its messages are not
/// read, HTTP/2's flow control stops the client.
///
/// The pacer keeps an allowance of audio that may be read. The allowance grows with time, and
/// shrinks by the audio that was processed. A session that was held up can therefore catch up at
/// once, and no client runs faster than real time for long. In its first seconds, a session also takes
/// the audio that a client kept while it had no server: held back, it would be late for ever.
struct RealTimePacer {
  /// The time by which the input may be ahead of real time.
  static let lead = Duration.milliseconds(500)
  /// The audio that a client may have kept for a new session, and the time in which it may send it.
  static let backlog = Duration.seconds(2)
  static let beginning = Duration.seconds(5)
  /// The longest stall after which a session catches up. No connection survives a longer one,
  /// because keepalive ends it after 30 s.
  static let longestStall = Duration.seconds(30)
  /// The tolerance for a fast microphone, whose clock may run faster than the server's by one part
  /// in this number. The allowance grows faster than time by the same amount.
  static let clockTolerance: Int64 = 1000

  private var allowance = (Self.lead + Self.backlog).nanoseconds
  /// The time at which the allowance for a backlog ends. Nil before the first read and afterwards.
  private var beginningEnds: ContinuousClock.Instant?
  private var last: (media: Int64, time: ContinuousClock.Instant)?

  /// Returns the time to wait before the next read, or nil to read at once. `media` is the length
  /// of the microphone audio, in nanoseconds, that has been processed by `now`. Runs per frame: no
  /// allocation, lock, log or await.
  mutating func delay(media: Int64, now: ContinuousClock.Instant) -> Duration? {
    defer { last = (media, now) }
    guard let last else {
      beginningEnds = now + Self.beginning
      return nil
    }
    let elapsed = last.time.duration(to: now).nanoseconds
    let most = (Self.lead + Self.longestStall).nanoseconds
    allowance = min(allowance + elapsed + elapsed / Self.clockTolerance, most)
    allowance -= media - last.media
    endBeginning(now)
    return allowance < 0 ? .nanoseconds(-allowance) : nil
  }

  private mutating func endBeginning(_ now: ContinuousClock.Instant) {
    guard let end = beginningEnds, now >= end else { return }
    beginningEnds = nil
    allowance = min(allowance, max(Self.lead.nanoseconds, allowance - Self.backlog.nanoseconds))
  }
}
