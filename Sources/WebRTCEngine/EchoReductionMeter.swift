internal import AudioCore

/// Measures by how much an echo canceller lowers a microphone in which the reference is heard.
struct EchoReductionMeter {
  /// Below this mean square, -60 dBFS, neither side is heard.
  private static let leastPower: Float = 1e-6
  /// The reference is heard so many frames after it came, at most.
  private static let tail = 15
  /// The share of a new frame: 0.3 s of them count.
  private static let share: Float = 1 / 30
  private static let leastFrames = 30

  private var before: Float = 0
  private var after: Float = 0
  private var frames = 0
  private var framesSinceReference = EchoReductionMeter.tail

  /// Runs per frame: no allocation, lock, log or await.
  mutating func process(
    reference: borrowing Frame, input: borrowing Frame, output: borrowing Frame
  ) {
    framesSinceReference =
      reference.meanSquare > Self.leastPower ? 0 : min(framesSinceReference + 1, Self.tail)
    let power = input.meanSquare
    guard framesSinceReference < Self.tail, power > Self.leastPower else { return }
    before += Self.share * (power - before)
    after += Self.share * (output.meanSquare - after)
    frames = min(frames + 1, Self.leastFrames)
  }

  /// In dB; nil before enough was heard.
  var reduction: Float? {
    guard frames >= Self.leastFrames else { return nil }
    return Decibels.level(meanSquare: before) - Decibels.level(meanSquare: after)
  }
}
