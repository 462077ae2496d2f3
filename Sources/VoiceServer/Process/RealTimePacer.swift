/// Holds back a client that sends faster than real time: HTTP/2's flow control stops it while its
/// messages are not read.
struct RealTimePacer {
  /// How far ahead of real time the input may be.
  static let lead = Duration.milliseconds(500)

  private var start: ContinuousClock.Instant?

  /// How long to wait before more is read, when `media` of the microphone has come by `now`.
  mutating func delay(media: Duration, now: ContinuousClock.Instant) -> Duration? {
    guard let start else {
      start = now
      return nil
    }
    let ahead = media - (now - start)
    // A client that fell behind must not catch up all at once later.
    if ahead < .zero { self.start = now - media }
    return ahead > Self.lead ? ahead - Self.lead : nil
  }
}
