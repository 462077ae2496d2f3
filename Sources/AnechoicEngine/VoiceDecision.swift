/// Whether the near end talks, decided from the network's probability and the level of the sound.
///
/// A voice whose loudest frames stay below -60 dBFS is not that of the near end, but one that reaches the
/// microphone from elsewhere: it counts less the softer it is.
struct VoiceDecision {
  private static let onset: Float = 0.5
  private static let end: Float = 0.3
  /// The mean square of a frame of -60 dBFS. Such a voice counts by half.
  private static let softest: Float = 1e-6
  /// How the loudness of past frames falls in a frame: by 30 dB a second.
  private static let fall: Float = 0.933

  private(set) var probability: Float = 0
  private(set) var hasVoice = false
  /// The mean square of the loudest of the last frames.
  private var loudness: Float = 0

  /// Takes the network's probability of a voice in a frame, and the frame's mean square. Runs per frame: no
  /// allocation, lock, log or await.
  mutating func note(_ found: Float, power: Float) {
    loudness = max(power, loudness * Self.fall)
    let ratio = loudness / Self.softest
    probability = found * ratio * ratio / (ratio * ratio + 1)
    hasVoice = probability >= (hasVoice ? Self.end : Self.onset)
  }
}
