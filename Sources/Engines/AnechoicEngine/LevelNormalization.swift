/// The level normalization of the features: a factor that lowers loud calls.
///
/// The level of a sound does not tell whether it is a voice, but the networks are trained on calls
/// of usual levels. The loudest frames of a louder call are normalized to one level. The factor
/// adapts within some frames and recovers by 10 dB a second: who talks next would otherwise be as
/// soft as somebody far away.
struct LevelNormalization {
  /// The mean power of the bands to which the loudest frames are normalized: -24 dBFS.
  private static let loudest: Float = 0.004
  /// The most by which the loudness rises in a frame, 3 dB, and the part that remains, -0.1 dB.
  private static let rise: Float = 2
  private static let kept: Float = 0.977

  /// The factor for powers, at most 1.
  private(set) var factor: Float = 1
  private var loudness: Float = LevelNormalization.loudest / 4

  /// Records the mean power of the bands of a frame of the microphone.
  mutating func record(_ power: Float) {
    loudness = max(min(power, loudness * Self.rise), loudness * Self.kept, Self.loudest / 4)
    factor = min(1, Self.loudest / loudness)
  }
}
