/// Decides whether the echo still comes by the path that the canceller has learnt. A jump of its delay shows
/// here within 0.1 s, and to the search for the delay within a second.
struct EchoFit {
  /// The presence of the predicted echo below which it is missing, and from which on it is there.
  private static let missing: Float = 0.35
  private static let present: Float = 0.6
  /// The frames with a present echo from which on the canceller knows its path, and after which an echo that
  /// was lost is found.
  private static let framesToKnow = 50
  private static let framesToFind = 30
  /// The frames with a missing echo after which it is lost.
  private static let framesToLose = 3
  /// The frames after which a lost echo is given up.
  private static let longestLoss = 200

  private(set) var isLost = false
  private var isKnown = false
  private var presentFrames = 0
  private var missingFrames = 0
  private var lostFrames = 0

  /// Records the presence of the predicted echo in a frame, or nil where nothing is predicted.
  mutating func record(_ presence: Float?) {
    if let presence {
      if presence >= Self.present { presentFrames = min(presentFrames + 1, Self.framesToKnow) }
      if presence < Self.missing { presentFrames = 0 }
      missingFrames = presence < Self.missing ? min(missingFrames + 1, Self.framesToLose) : 0
    }
    if isLost {
      lostFrames += 1
      if presentFrames >= Self.framesToFind || lostFrames >= Self.longestLoss { self = EchoFit() }
    } else if isKnown, missingFrames >= Self.framesToLose {
      (isLost, isKnown, lostFrames) = (true, false, 0)
    } else if presentFrames >= Self.framesToKnow {
      isKnown = true
    }
  }
}
