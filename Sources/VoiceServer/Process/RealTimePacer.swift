internal import GRPCTransport

/// Holds back a client that sends faster than real time: HTTP/2's flow control stops the client while
/// its messages are not read.
///
/// The pacer keeps an allowance of audio that may be read. It grows with time, and what has been
/// processed is taken off. So a session that was held up catches up at once by as much as it missed,
/// and no client runs faster than real time for long.
struct RealTimePacer {
  /// How far ahead of real time the input may be.
  static let lead = Duration.milliseconds(500)
  /// The longest stall that a session catches up with: no connection survives a longer one, as
  /// keepalive ends it after 30 s.
  static let longestStall = Duration.seconds(30)
  /// A microphone's clock may be faster than the server's by one part in so many: the allowance grows
  /// by as much faster than time.
  static let clockTolerance: Int64 = 1000

  private var allowance = Self.lead.nanoseconds
  private var last: (media: Int64, time: ContinuousClock.Instant)?

  /// Returns how long to wait before more is read, or nil to read at once, when `media` nanoseconds of
  /// the microphone have been processed by `now`. Runs per frame: no allocation, lock, log or await.
  mutating func delay(media: Int64, now: ContinuousClock.Instant) -> Duration? {
    defer { last = (media, now) }
    guard let last else { return nil }
    let elapsed = last.time.duration(to: now).nanoseconds
    let most = (Self.lead + Self.longestStall).nanoseconds
    allowance = min(allowance + elapsed + elapsed / Self.clockTolerance, most)
    allowance -= media - last.media
    return allowance < 0 ? .nanoseconds(-allowance) : nil
  }
}
