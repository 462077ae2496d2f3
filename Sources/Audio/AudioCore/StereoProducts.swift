/// The powers of the two channels of a stereo sound and their product, each as a sum over samples,
/// without the offsets of the channels. The sums of several frames can be added.
public struct StereoProducts: Sendable {
  public private(set) var powers = SIMD2<Float>()
  public private(set) var product: Float = 0

  /// Creates the sums of no samples.
  public init() {}

  /// Creates the sums of a frame with two channels. Runs per frame: no allocation, lock, log or
  /// await.
  public init(_ frame: borrowing Frame) {
    precondition(frame.channelCount == 2)
    let (left, right) = (frame.planePointers[0], frame.planePointers[1])
    let means = SIMD2(
      FloatBuffer.mean(left, frame.sampleCount), FloatBuffer.mean(right, frame.sampleCount))
    for index in 0..<frame.sampleCount {
      let pair = SIMD2(left[index], right[index]) - means
      powers += pair * pair
      product += pair.x * pair.y
    }
  }

  /// Adds the sums of the next frame. `memory`, 0...1, is the share of the earlier sums that
  /// remains.
  public mutating func add(_ next: StereoProducts, memory: Float) {
    powers = memory * powers + next.powers
    product = memory * product + next.product
  }
}
