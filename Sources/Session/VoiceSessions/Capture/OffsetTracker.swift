internal import AudioCore

/// Measures frames without the constant offset (DC) that some converters add to each channel.
///
/// The offset is the mean of about the last half second. The mean of a single frame would contain low
/// sounds too.
struct OffsetTracker {
  private static let mostFrames: Float = 50
  /// A little more than digital silence, for a signal that is nothing but its offset.
  private static let least: Float = 2e-12

  private var offsets = SIMD2<Float>()
  private var frames: Float = 0

  /// Returns the mean square of a frame of one or two channels around its offset. It is 0 for digital
  /// silence alone. Runs per frame: no allocation, lock, log or await.
  mutating func meanSquare(of frame: borrowing Frame) -> Float {
    let raw = frame.meanSquare
    guard raw > 0 else { return 0 }
    frames = min(frames + 1, Self.mostFrames)
    var excess: Float = 0
    for channel in 0..<min(frame.channelCount, 2) {
      let mean = FloatBuffer.mean(frame.planePointers[channel], frame.sampleCount)
      offsets[channel] += (mean - offsets[channel]) / frames
      // The mean of (x - offset)² is that of x² minus this.
      excess += offsets[channel] * (2 * mean - offsets[channel])
    }
    return max(raw - excess / Float(frame.channelCount), Self.least)
  }
}
