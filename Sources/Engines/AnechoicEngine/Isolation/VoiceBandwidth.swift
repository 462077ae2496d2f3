/// Whether the voices at the microphone end at 4 kHz, as those of a telephone or of a headset do.
struct VoiceBandwidth {
  /// The first band, at 4.4 kHz, in which such voices have nothing.
  private static let firstHigh = 68
  private static let smoothing: Float = 0.01
  /// The power of the high bands by that of all, below which they have nothing: -40 dB. A dull voice
  /// has -30 dB.
  private static let leastShare: Float = 1e-4
  /// The frames of voices after which the bandwidth is known.
  private static let leastFrames = 100

  private var power: Float = 0
  private var highPower: Float = 0
  private var frames = 0

  var isNarrow: Bool { frames >= Self.leastFrames && highPower < Self.leastShare * power }

  /// Records the powers of the bands of a frame with a voice.
  mutating func record(_ powers: UnsafePointer<Float>) {
    var (low, high): (Float, Float) = (0, 0)
    for band in 0..<Self.firstHigh { low += powers[band] }
    for band in Self.firstHigh..<Bands.count { high += powers[band] }
    frames = min(frames + 1, Self.leastFrames)
    power += Self.smoothing * (low + high - power)
    highPower += Self.smoothing * (high - highPower)
  }
}
