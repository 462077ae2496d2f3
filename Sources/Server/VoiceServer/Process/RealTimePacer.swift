internal import AudioCore
internal import GRPCTransport

/// The rule that holds back a client that sends faster than real time. While its messages are not
/// read, HTTP/2's flow control stops the client.
///
/// The pacer keeps an allowance of audio that may be read. The allowance grows with time, and
/// shrinks by the audio that was processed. A session that was held up can therefore catch up at
/// once, and no client runs faster than real time for long. A client that began with older audio,
/// such as audio that waited for a lost session, catches up over some seconds.
struct RealTimePacer {
  /// The time by which the input may be ahead of real time.
  static let lead = Duration.milliseconds(500)
  /// The longest stall after which a session catches up. No connection survives a longer one,
  /// because keepalive ends it after 30 s.
  static let longestStall = Duration.seconds(30)
  /// The tolerance for the microphone's clock, which may differ from the server's by one part in this
  /// number. By as much, the allowance returns to the lead: a fast microphone is not held back, and a slow
  /// one saves nothing up.
  static let clockTolerance = Int64(ClockTolerance.parts)

  /// The older audio that a client may send in addition, once in a session.
  static let longestBacklog = Duration.seconds(2)
  /// The additional audio is read faster than real time by one part in this number.
  static let catchUp: Int64 = 4
  /// The allowance in nanoseconds below which additional audio is read.
  static let caughtUp = Duration.milliseconds(100).nanoseconds

  /// The audio that may be read now, in nanoseconds. Below 0, the client has to wait.
  private(set) var allowance = Self.lead.nanoseconds
  /// The additional audio that may still be read, in nanoseconds.
  private var backlog = Self.longestBacklog.nanoseconds
  private var last: (media: Int64, time: ContinuousClock.Instant)?

  /// Returns the time to wait before the next read, or nil to read at once. `media` is the length
  /// of the microphone audio, in nanoseconds, that has been processed by `now`. Runs per frame: no
  /// allocation, lock, log or await.
  mutating func delay(media: Int64, now: ContinuousClock.Instant) -> Duration? {
    defer { last = (media, now) }
    guard let last else { return nil }
    let elapsed = last.time.duration(to: now).nanoseconds
    let most = (Self.lead + Self.longestStall).nanoseconds
    if allowance < Self.caughtUp {
      let gained = min(elapsed / Self.catchUp, backlog)
      backlog -= gained
      allowance += gained
    }
    let drift = elapsed / Self.clockTolerance
    allowance += max(-drift, min(drift, Self.lead.nanoseconds - allowance))
    allowance = min(allowance + elapsed, most)
    allowance -= media - last.media
    return allowance < 0 ? .nanoseconds(-allowance) : nil
  }
}
