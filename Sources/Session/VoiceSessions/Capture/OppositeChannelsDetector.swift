internal import AudioCore

/// Detects two channels of a microphone that hear the same sound in opposite phase.
///
/// Their mean is silence. A balanced microphone in a stereo socket causes this, or a wrong wire. A
/// session takes their difference where it makes one channel of both, but a recording or another
/// program may not.
struct OppositeChannelsDetector {
  /// The share of the measurement that remains after each frame: the last second counts.
  private static let memory: Float = 0.99
  /// The correlation of the channels, -1...1, below which they are in opposite phase.
  private static let limit: Float = -0.9
  /// The mean square below which a frame is silent: -60 dBFS.
  private static let leastSquare: Float = 1e-6

  private var products = StereoProducts()

  /// Adds a frame. Runs per frame: no allocation, lock, log or await.
  ///
  /// - Returns: Whether the channels are in opposite phase, or nil if the frame is silent.
  mutating func process(_ frame: borrowing Frame) -> Bool? {
    guard frame.channelCount == 2 else { return false }
    let sums = StereoProducts(frame)
    products.add(sums, memory: Self.memory)
    guard sums.powers.sum() > Self.leastSquare * Float(2 * frame.sampleCount) else { return nil }
    return products.product
      < Self.limit * (products.powers.x * products.powers.y).squareRoot()
  }
}
