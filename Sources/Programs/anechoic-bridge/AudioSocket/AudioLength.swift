/// The length of an exchange's audio, compared once with the time in which it comes.
///
/// An exchange that sends a code of telephony with the type of PCM sends half of the bytes.
struct AudioLength {
  /// The time before the comparison, in seconds.
  private static let patience = 3.0
  private static let half = 0.45...0.55

  private var began: ContinuousClock.Instant?
  private var seconds = 0.0
  private var isKnown = false

  /// Begins again, after a pause.
  mutating func restart() { (began, seconds) = (nil, 0) }

  /// Counts audio that has come, in seconds. Returns true once if it lasts half of its time.
  mutating func isHalf(after block: Double, at now: ContinuousClock.Instant) -> Bool {
    guard !isKnown else { return false }
    guard let began else {
      self.began = now
      return false
    }
    seconds += block
    let time = (now - began) / .seconds(1)
    guard time >= Self.patience else { return false }
    isKnown = true
    return Self.half.contains(seconds / time)
  }
}
