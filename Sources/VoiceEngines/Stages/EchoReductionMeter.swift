public import AudioCore

/// A meter of the echo reduction: the difference in level between the microphone and the output of
/// an echo canceller while the microphone contains the reference.
public struct EchoReductionMeter {
  /// The mean square, -60 dBFS, below which a side counts as silent.
  private static let leastPower: Float = 1e-6
  /// The number of frames after the reference in which its echo can be heard.
  private static let tail = 15
  /// The weight of a new frame: the meter covers 0.3 s of frames.
  private static let share: Float = 1 / 30
  private static let leastFrames = 30

  private var before: Float = 0
  private var after: Float = 0
  private var frames = 0
  private var framesSinceReference = EchoReductionMeter.tail

  public init() {}

  /// Takes a frame. Runs per frame: no allocation, lock, log or await.
  public mutating func process(
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

  /// The reduction in dB. Nil until there was enough echo.
  public var reduction: Float? {
    guard frames >= Self.leastFrames else { return nil }
    return Decibels.level(meanSquare: before) - Decibels.level(meanSquare: after)
  }
}
