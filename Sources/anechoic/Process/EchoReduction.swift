internal import AudioCore

/// How much quieter the processed audio is than the microphone, where only the far end talks: what
/// echo cancellation, noise suppression and gain control come to together, from the third second of
/// far-end speech on. Frames in which a voice was found do not count, as the near end may be talking,
/// and neither do those that are muted.
struct EchoReduction {
  /// In dBFS: below this nothing is played.
  private static let quietest: Float = -50
  /// In frames of 10 ms: an echo is over so long after what was played.
  private static let tail = 30
  /// In frames: what the canceller is given to find the echo.
  private static let convergence = 200

  /// Mean squares of frames of 10 ms.
  let microphone: [Float]
  let played: [Float]
  /// Of the processed audio behind the microphone.
  let delay: Duration

  /// In dB; nil where the far end never talks alone.
  func measure(_ found: JobFindings) -> Float? {
    let delayFrames = Int((delay / .milliseconds(10)).rounded())
    let threshold = Decibels.factor(Self.quietest) * Decibels.factor(Self.quietest)
    var lastPlayed = -Self.tail
    var framesPlayed = 0
    var before: Float = 0
    var after: Float = 0
    for index in 0..<min(microphone.count, played.count) {
      if played[index] > threshold {
        lastPlayed = index
        framesPlayed += 1
      }
      let output = index + delayFrames
      guard index - lastPlayed < Self.tail, framesPlayed > Self.convergence,
        output < found.levels.count, output < found.voice.count, !found.voice[output],
        !found.muted[output]
      else { continue }
      before += microphone[index]
      after += found.levels[output]
    }
    guard before > 0 else { return nil }
    return Decibels.level(meanSquare: before) - Decibels.level(meanSquare: after)
  }
}
