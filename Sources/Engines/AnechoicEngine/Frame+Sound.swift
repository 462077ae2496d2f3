internal import AudioCore

extension Frame {
  /// The largest magnitude of a sample that counts as sound: 12 dB above full scale.
  private static let loudest: Float = 4
  /// Softer samples, below -300 dBFS, are silence: squares of them would be denormal numbers, which
  /// processors multiply slowly.
  private static let softest: Float = 1e-15

  /// Copies the samples of a frame that can be sound. NaN, infinite samples and samples that are
  /// too soft become silence, and samples that are too large are clipped.
  func copySound(_ other: borrowing Frame) {
    for channel in 0..<channelCount {
      let (source, target) = (other.planePointers[channel], planePointers[channel])
      for index in 0..<sampleCount {
        let sample = source[index]
        let isSound = sample.isFinite && abs(sample) >= Self.softest
        target[index] = isSound ? min(max(sample, -Self.loudest), Self.loudest) : 0
      }
    }
  }
}
