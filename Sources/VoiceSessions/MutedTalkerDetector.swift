/// Tells when somebody talks into a muted microphone.
///
/// Speech that was going on when mute was pressed is the end of what was said, and not somebody who
/// forgot the mute: it counts only after a pause.
struct MutedTalkerDetector {
  enum Change: Equatable { case started, ended }

  private(set) var isActive = false
  private var awaitsPause = false

  /// The microphone was muted, while somebody talked or was about to, or while nobody did.
  mutating func mute(whileTalking isTalking: Bool) {
    awaitsPause = isTalking
  }

  /// The microphone was unmuted, or detection switched off.
  ///
  /// - Returns: Whether muted speech was going on.
  mutating func reset() -> Bool {
    defer {
      isActive = false
      awaitsPause = false
    }
    return isActive
  }

  /// Takes in a frame of a muted microphone. `isQuiet` says that there is not even the beginning of
  /// speech. Runs per frame: no allocation, lock, log or await.
  mutating func process(isTalking: Bool, isQuiet: Bool) -> Change? {
    if awaitsPause {
      awaitsPause = !isQuiet
      return nil
    }
    guard isTalking != isActive else { return nil }
    isActive = isTalking
    return isTalking ? .started : .ended
  }
}
