public import AudioCore

/// A meter of the echo reduction: the difference in level between the microphone and the output of
/// an echo canceller while the microphone contains the reference.
public struct EchoReductionMeter {
  /// The mean square, -60 dBFS, below which a side counts as silent.
  public static let leastPower: Float = 1e-6
  /// The number of frames after the reference in which its echo can be heard.
  private static let tail = 15
  /// The weight of a new frame: the meter covers 0.3 s of frames.
  private static let share: Float = 1 / 30
  private static let leastFrames = 30

  private var played: Float = 0
  private var before: Float = 0
  private var after: Float = 0
  private var frames = 0
  private var framesSinceReference = EchoReductionMeter.tail

  public init() {}

  /// Takes a frame. Runs per frame: no allocation, lock, log or await.
  public mutating func process(
    reference: borrowing Frame, input: borrowing Frame, output: borrowing Frame
  ) {
    record(
      reference: reference.meanSquare, input: input.meanSquare, output: output.meanSquare)
  }

  /// Takes the mean squares of a frame.
  public mutating func record(
    reference: Float, input: Float, output: @autoclosure () -> Float
  ) {
    framesSinceReference =
      reference > Self.leastPower ? 0 : min(framesSinceReference + 1, Self.tail)
    guard framesSinceReference < Self.tail, input > Self.leastPower else { return }
    played += Self.share * (reference - played)
    before += Self.share * (input - before)
    after += Self.share * (output() - after)
    frames = min(frames + 1, Self.leastFrames)
  }

  /// The reduction in dB. Nil until there was enough echo.
  public var reduction: Float? {
    difference(before, after)
  }

  /// The attenuation from loudspeaker to microphone in dB. Nil until there was enough echo.
  public var returnLoss: Float? { difference(played, before) }

  private func difference(_ first: Float, _ second: Float) -> Float? {
    guard frames >= Self.leastFrames else { return nil }
    return Decibels.level(meanSquare: first) - Decibels.level(meanSquare: second)
  }
}
