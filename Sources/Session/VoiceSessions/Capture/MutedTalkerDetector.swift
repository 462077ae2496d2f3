/// Detects speech into a muted microphone.
///
/// Speech that was active when mute was pressed is the end of a sentence and does not count. Speech
/// counts after a pause. While the far end plays, a sound like speech may be the rest of an echo
/// for a moment. It counts once it has lasted.
struct MutedTalkerDetector {
  enum Change: Equatable { case started, ended }

  /// The near end in a frame.
  struct Observation {
    /// The sample at which the present speech began, or nil without speech.
    var speechSince: Int64?
    /// Whether the frame itself has a voice. Speech also contains pauses.
    var hasVoice: Bool
    /// Whether an echo may be heard.
    var mayHaveEcho: Bool
  }

  /// The evidence with which speech beside an echo counts: that of 0.9 s of voice. A voiced frame of 10 ms
  /// adds two, each other frame takes one away.
  private static let enoughBesideEcho = 180

  private(set) var isActive = false
  private var mutedSince: Int64 = 0
  private var evidence = 0
  /// Whether an echo may have been heard since the present speech began.
  private var isBesideEcho = false

  /// Begins detection at the sample from which the microphone is muted.
  mutating func mute(at sample: Int64) {
    mutedSince = sample
    evidence = 0
  }

  /// Ends detection.
  ///
  /// - Returns: Whether muted speech was active.
  mutating func reset() -> Bool {
    defer { isActive = false }
    return isActive
  }

  /// Adds a frame of a muted microphone. Runs per frame: no allocation, lock, log or await.
  mutating func process(_ seen: Observation) -> Change? {
    let isNew = seen.speechSince.map { $0 >= mutedSince } ?? false
    let isVoiced = isNew && seen.hasVoice
    evidence = max(0, min(evidence + (isVoiced ? 2 : -1), Self.enoughBesideEcho))
    isBesideEcho = seen.mayHaveEcho || isNew && isBesideEcho
    let isEnough = isActive || !isBesideEcho || evidence == Self.enoughBesideEcho
    let counts = isNew && isEnough
    guard counts != isActive else { return nil }
    isActive = counts
    return counts ? .started : .ended
  }
}
