/// The factor by which the network hears a call softer than it is.
///
/// Whether a sound is a voice does not depend on its level, but the network has learned from calls of usual
/// levels. The loudest frames of a louder call are brought to one level. The factor follows within some
/// frames, and after something loud goes back by 1 dB a second.
struct HeardLevel {
  /// The mean power of the bands of the loudest frames that the network should hear: -24 dBFS.
  private static let loudest: Float = 0.004
  /// The most by which the loudness rises in a frame, 3 dB, and the part that remains, -0.01 dB.
  private static let rise: Float = 2
  private static let kept: Float = 0.9977

  /// The factor for powers, at most 1.
  private(set) var factor: Float = 1
  private var loudness: Float = HeardLevel.loudest / 4

  /// Takes the mean power of the bands of a frame of the microphone.
  mutating func note(_ power: Float) {
    loudness = max(min(power, loudness * Self.rise), loudness * Self.kept, Self.loudest / 4)
    factor = min(1, Self.loudest / loudness)
  }
}
