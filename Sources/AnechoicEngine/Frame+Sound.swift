internal import AudioCore

extension Frame {
  /// The largest magnitude of a sample that counts as sound: 12 dB above full scale.
  private static let loudest: Float = 4

  /// Copies the samples of a frame that can be sound. NaN and infinite samples become silence, and
  /// samples that are too large are clipped.
  func copySound(_ other: borrowing Frame) {
    for channel in 0..<channelCount {
      let (source, target) = (other.planePointers[channel], planePointers[channel])
      for index in 0..<sampleCount {
        let sample = source[index]
        target[index] = sample.isFinite ? min(max(sample, -Self.loudest), Self.loudest) : 0
      }
    }
  }
}
