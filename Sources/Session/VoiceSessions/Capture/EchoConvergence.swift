/// Decides whether the echo canceller has found the echo and removes it.
struct EchoConvergence {
  /// A reduction that only a canceller which has found the echo reaches, in dB.
  private static let enough: Float = 10
  /// The reduction from which on nothing of the echo is taken for a voice, in dB.
  private static let thorough: Float = 18
  /// A lower reduction, in dB, for this many frames of 10 ms is doubtful. Somebody who speaks over the
  /// echo lowers it for a shorter time.
  private static let tooLittle: Float = 3
  private static let framesToDoubt = 500
  /// The frames after a change of the echo's path in which older measurements do not count.
  private static let framesToSettle = 50
  /// The frames with echo after which a detected voice counts although the canceller is not thorough. It may
  /// be the voice of the far end. Where the lag of the echo becomes known for the first time, the canceller
  /// learns from the past. An echo that has moved is learned more slowly. The last is that of an unknown lag.
  private static let framesToLearn = 30
  private static let framesToLearnAgain = 130
  private static let framesToFind = 200
  /// A microphone that is quiet for this many frames while its reference plays contains no audible
  /// echo.
  private static let framesOfSilence = 100
  /// The frames in which a reported step of the playback is still heard in the output, because the
  /// filter does not contain the inserted silence or the cut.
  private static let framesOfStep = 20
  /// The mean square below which a microphone is quiet: -60 dBFS.
  private static let quiet: Float = 1e-6

  /// The measurements of one frame.
  struct Observation {
    /// The reduction over the last frames, in dB.
    var reduction: Float?
    /// Whether there may be echo in the frame, and whether its lag is known.
    var mayHaveEcho: Bool
    var isLagKnown = false
    /// The mean square of the microphone.
    var microphone: Float = 1
    /// The part of the predicted echo that is in the microphone, or nil where it is unknown.
    var presence: Float?
  }

  private(set) var isConverged = false
  /// Whether an echo of a known lag has been found before.
  private var hasLearned = false
  private var framesWithEcho = 0
  private var isLagKnown = false
  private var isThorough = false
  private var framesToWait = 0
  private var doubtfulFrames = 0
  private var quietFrames = 0
  private var stepFrames = 0
  private var fit = EchoFit()

  /// Starts again, because the echo takes another path.
  mutating func restart() {
    if isConverged, isLagKnown { hasLearned = true }
    isConverged = false
    framesToWait = Self.framesToSettle
    framesWithEcho = 0
    isThorough = false
    quietFrames = 0
    fit = EchoFit()
  }

  /// Records a step of the playback that the client reported. The convergence stays.
  mutating func step() { stepFrames = Self.framesOfStep }

  /// Whether a voice that begins is likely to be a step of the playback.
  var isStepping: Bool { stepFrames > 0 }

  /// Whether the echo has just left the path that the canceller has learnt.
  var isLost: Bool { fit.isLost }

  /// Whether a voice that was found is likely to be echo that the canceller has not learnt yet.
  var isLearning: Bool {
    !isThorough && framesWithEcho < framesToWaitForVoice
  }

  private var framesToWaitForVoice: Int {
    guard isLagKnown else { return Self.framesToFind }
    return hasLearned ? Self.framesToLearnAgain : Self.framesToLearn
  }

  /// Returns whether only a canceller that has found the echo reaches this reduction, in dB.
  func isEnough(_ reduction: Float?) -> Bool { (reduction ?? 0) >= Self.enough }

  /// Adds a frame.
  ///
  /// - Returns: Whether the canceller has converged with this frame.
  mutating func process(_ seen: Observation) -> Bool {
    stepFrames = max(0, stepFrames - 1)
    fit.record(seen.presence)
    isLagKnown = seen.isLagKnown
    if seen.mayHaveEcho { framesWithEcho = min(framesWithEcho + 1, Self.framesToFind) }
    guard framesToWait == 0 else {
      framesToWait -= 1
      return false
    }
    if hearsNothing(seen) {
      doubtfulFrames = 0
      guard quietFrames >= Self.framesOfSilence else { return false }
      isThorough = true
      defer { isConverged = true }
      return !isConverged
    }
    guard let reduction = seen.reduction else { return false }
    if reduction >= Self.thorough { isThorough = true }
    guard isConverged else {
      doubtfulFrames = 0
      isConverged = reduction >= Self.enough
      return isConverged
    }
    // While nothing plays, the reduction is that of the last echo.
    guard seen.mayHaveEcho else { return false }
    doubtfulFrames = reduction < Self.tooLittle ? doubtfulFrames + 1 : 0
    if doubtfulFrames >= Self.framesToDoubt { isConverged = false }
    return false
  }

  /// Whether the echo, whose lag is known, is too quiet for its reduction to be measured.
  private mutating func hearsNothing(_ seen: Observation) -> Bool {
    guard seen.isLagKnown, seen.mayHaveEcho else { return false }
    guard seen.microphone <= Self.quiet else {
      quietFrames = 0
      return false
    }
    quietFrames = min(quietFrames + 1, Self.framesOfSilence)
    return quietFrames >= Self.framesOfSilence
  }
}
