/// Tells when somebody talks into a muted microphone.
///
/// Speech that was going on when mute was pressed is the end of what was said, and not somebody who
/// forgot the mute: it counts only after a pause.
struct MutedTalkerDetector {
  enum Change: Equatable { case started, ended }

  private(set) var isActive = false
  private var mutedSince: Int64 = 0

  /// The microphone was muted, from a sample of it on.
  mutating func mute(at sample: Int64) { mutedSince = sample }

  /// The microphone was unmuted, or detection switched off.
  ///
  /// - Returns: Whether muted speech was going on.
  mutating func reset() -> Bool {
    defer { isActive = false }
    return isActive
  }

  /// Takes in a frame of a muted microphone. `speechSince` is the sample of it at which the speech
  /// began that is going on; nil for none. Runs per frame: no allocation, lock, log or await.
  mutating func process(speechSince: Int64?) -> Change? {
    let counts = speechSince.map { $0 >= mutedSince } ?? false
    guard counts != isActive else { return nil }
    isActive = counts
    return counts ? .started : .ended
  }
}
