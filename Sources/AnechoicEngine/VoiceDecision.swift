/// Whether the near end talks, decided from the network's probability and the level of the sound.
///
/// A voice whose loudest frames stay below about -54 dBFS counts less the softer it is, because it
/// is probably not the voice of the near end. After a voice the probability falls slowly, because
/// short pauses between sounds belong to the voice.
struct VoiceDecision {
  private static let onset: Float = 0.5
  private static let end: Float = 0.3
  /// The mean square of a frame of -54 dBFS. Such a voice counts by half.
  private static let softest: Float = 4e-6
  /// How the loudness of past frames falls in a frame: by 30 dB a second.
  private static let fall: Float = 0.933
  /// The part of the last probability that remains in a frame: half of it after 100 ms.
  private static let kept: Float = 0.93

  private(set) var probability: Float = 0
  /// The probability of a voice in the last frame alone.
  private(set) var probabilityOfFrame: Float = 0
  private(set) var hasVoice = false
  /// The mean power of the loudest of the last frames.
  private var loudness: Float = 0

  /// Takes the network's probability of a voice in a frame, the mean power of the frame's bands, and the
  /// echo that the canceller explains. Runs per frame: no allocation, lock, log or await.
  mutating func note(_ found: Float, power: Float, echo: ExplainedEcho = ExplainedEcho()) {
    loudness = max(power, loudness * Self.fall)
    let ratio = loudness / Self.softest
    let isPossible = echo.leavesVoice(goesOn: hasVoice)
    probabilityOfFrame = isPossible ? found * ratio * ratio / (ratio * ratio + 1) : 0
    probability = max(probabilityOfFrame, Self.kept * probability)
    hasVoice = probability >= (hasVoice ? Self.end : Self.onset)
  }
}
