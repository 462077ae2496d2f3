/// Detects speech into a muted microphone.
///
/// Speech that was active when mute was pressed is the end of a sentence and does not count. Speech
/// counts after a pause.
struct MutedTalkerDetector {
  enum Change: Equatable { case started, ended }

  private(set) var isActive = false
  private var mutedSince: Int64 = 0

  /// Begins detection at the sample from which the microphone is muted.
  mutating func mute(at sample: Int64) { mutedSince = sample }

  /// Ends detection.
  ///
  /// - Returns: Whether muted speech was active.
  mutating func reset() -> Bool {
    defer { isActive = false }
    return isActive
  }

  /// Adds a frame of a muted microphone. `speechSince` is the sample at which the present speech
  /// began, or nil without speech. Runs per frame: no allocation, lock, log or await.
  mutating func process(speechSince: Int64?) -> Change? {
    let counts = speechSince.map { $0 >= mutedSince } ?? false
    guard counts != isActive else { return nil }
    isActive = counts
    return counts ? .started : .ended
  }
}
