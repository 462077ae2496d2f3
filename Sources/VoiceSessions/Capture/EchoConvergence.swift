/// Says whether the echo canceller has found the echo and removes it.
struct EchoConvergence {
  /// In dB: a reduction that only a canceller which has found the echo reaches.
  private static let enough: Float = 10
  /// In dB: from here on nothing of the echo is taken for a voice.
  private static let thorough: Float = 18
  /// In dB, and in frames of 10 ms: who speaks over the echo is not taken for one that is not removed.
  private static let tooLittle: Float = 3
  private static let framesToDoubt = 500
  /// After the way of the echo has changed, what was measured before does not count: in frames.
  private static let framesToSettle = 50

  /// A canceller that is not thorough after so many frames with echo will not do so soon: from then
  /// on a voice that is found counts, though it may be that of the far end.
  private static let framesToLearn = 200

  private(set) var isConverged = false
  private var framesWithEcho = 0
  private var isThorough = false
  private var framesToWait = 0
  private var doubtfulFrames = 0

  /// The way of the echo has changed.
  mutating func restart() {
    isConverged = false
    framesToWait = Self.framesToSettle
    framesWithEcho = 0
    isThorough = false
  }

  /// Whether what sounds like a voice is likely to be echo that the canceller has not learnt yet.
  var isLearning: Bool { !isThorough && framesWithEcho < Self.framesToLearn }

  /// Takes in the reduction of the last frames, and whether there may be echo in this one. Returns
  /// whether it has converged just now.
  mutating func process(_ reduction: Float?, mayHaveEcho: Bool) -> Bool {
    if mayHaveEcho { framesWithEcho = min(framesWithEcho + 1, Self.framesToLearn) }
    guard framesToWait == 0 else {
      framesToWait -= 1
      return false
    }
    guard let reduction else { return false }
    if reduction >= Self.thorough { isThorough = true }
    guard isConverged else {
      doubtfulFrames = 0
      isConverged = reduction >= Self.enough
      return isConverged
    }
    doubtfulFrames = reduction < Self.tooLittle ? doubtfulFrames + 1 : 0
    if doubtfulFrames >= Self.framesToDoubt { isConverged = false }
    return false
  }
}
