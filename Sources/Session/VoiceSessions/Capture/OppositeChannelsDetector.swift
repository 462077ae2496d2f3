internal import AudioCore

/// Detects two channels of a microphone that hear the same sound in opposite phase.
///
/// Their mean is silence, so that nothing is left of the voice where one channel is made of both. A
/// balanced microphone in a stereo socket causes this, or a wrong wire.
struct OppositeChannelsDetector {
  /// The share of the measurement that remains after each frame: the last second counts.
  private static let memory: Float = 0.99
  /// The correlation of the channels, -1...1, below which they are in opposite phase.
  private static let limit: Float = -0.9
  /// The mean square below which a frame is silent: -60 dBFS.
  private static let leastSquare: Float = 1e-6

  private var powers = SIMD2<Float>()
  private var product: Float = 0

  /// Adds a frame. Runs per frame: no allocation, lock, log or await.
  ///
  /// - Returns: Whether the channels are in opposite phase, or nil if the frame is silent.
  mutating func process(_ frame: borrowing Frame) -> Bool? {
    guard frame.channelCount == 2 else { return false }
    let (left, right) = (frame.planePointers[0], frame.planePointers[1])
    let means = SIMD2(
      FloatBuffer.mean(left, frame.sampleCount), FloatBuffer.mean(right, frame.sampleCount))
    var sums = SIMD2<Float>()
    var both: Float = 0
    for index in 0..<frame.sampleCount {
      let pair = SIMD2(left[index], right[index]) - means
      sums += pair * pair
      both += pair.x * pair.y
    }
    powers = Self.memory * powers + sums
    product = Self.memory * product + both
    guard sums.sum() > Self.leastSquare * Float(2 * frame.sampleCount) else { return nil }
    return product < Self.limit * (powers.x * powers.y).squareRoot()
  }
}
