internal import AudioCore

/// How much quieter the processed audio is than the microphone, where only the far end talks: what
/// echo cancellation, noise suppression and gain control come to together, from the third second of
/// far-end speech on. Frames in which a voice was found do not count: the near end may be talking.
struct EchoReduction {
  /// In dBFS: a reference below this plays nothing.
  private static let reference: Float = -50
  /// In frames of 10 ms: an echo is over so long after its reference.
  private static let tail = 30
  /// In frames: what the canceller is given to find the echo.
  private static let convergence = 200

  /// Mean squares of frames of 10 ms.
  let microphone: [Float]
  let reference: [Float]
  /// Of the processed audio behind the microphone.
  let delay: Duration

  /// In dB; nil where the far end never talks alone. `voice` is the verdict on each frame.
  func measure(processed: [Float], voice: [Bool]) -> Float? {
    let delayFrames = Int((delay / .milliseconds(10)).rounded())
    let threshold = Decibels.factor(Self.reference) * Decibels.factor(Self.reference)
    var lastPlayed = -Self.tail
    var played = 0
    var before: Float = 0
    var after: Float = 0
    for index in 0..<min(microphone.count, reference.count) {
      if reference[index] > threshold {
        lastPlayed = index
        played += 1
      }
      let output = index + delayFrames
      guard index - lastPlayed < Self.tail, played > Self.convergence, output < processed.count,
        output < voice.count, !voice[output]
      else { continue }
      before += microphone[index]
      after += processed[output]
    }
    guard before > 0 else { return nil }
    return Decibels.level(meanSquare: before) - Decibels.level(meanSquare: after)
  }
}
