/// The decision whether the near end talks, from the probability of the network and the level of
/// the signal.
///
/// A voice whose loudest frames stay below about -54 dBFS counts less the softer it is, because it
/// is probably not the voice of the near end. After a voice the probability falls slowly, because
/// short pauses between sounds belong to the voice.
struct VoiceDecision {
  /// The probability at which a voice starts. While the far end plays, the threshold is higher,
  /// because a sound may be residual echo. Where a voice is likely, as after a long silence, the
  /// threshold is lower.
  private static let onset: Float = 0.42
  private static let onsetIfLikely: Float = 0.3
  private static let onsetBesideFarEnd: Float = 0.6
  private static let end: Float = 0.3
  /// The mean square of a frame of -54 dBFS. Such a voice counts by half.
  private static let softest: Float = 4e-6
  /// The decay of the loudness in a frame: 30 dB a second.
  private static let fall: Float = 0.933
  /// The part of the last probability that remains in a frame: half of it after 100 ms.
  private static let kept: Float = 0.93

  /// The probability that the near end talks. 0 from the frame on in which a sound is found to be a
  /// tone.
  private(set) var probability: Float = 0
  /// The probability of a voice in the last frame alone.
  private(set) var probabilityOfFrame: Float = 0
  private(set) var hasVoice = false
  /// The mean power of the loudest of the last frames.
  private var loudness: Float = 0

  /// Records the network's probability of a voice in a frame, the mean power of the frame's bands,
  /// the linear echo estimate, whether the far end plays, whether a voice is likely, and whether
  /// the frame is part of a steady tone. Runs per frame: no allocation, lock, log or await.
  mutating func record(
    _ found: Float, power: Float, echo: LinearEchoEstimate = LinearEchoEstimate(),
    farEndPlays: Bool = false,
    isLikely: Bool = false, isTone: Bool = false
  ) {
    let onset =
      farEndPlays
      ? Self.onsetBesideFarEnd : isLikely ? Self.onsetIfLikely : Self.onset
    loudness = max(power, loudness * Self.fall)
    let ratio = loudness / Self.softest
    let isPossible = !isTone && echo.allowsVoice(continuing: hasVoice)
    probabilityOfFrame = isPossible ? found * ratio * ratio / (ratio * ratio + 1) : 0
    probability = isTone ? 0 : max(probabilityOfFrame, Self.kept * probability)
    hasVoice = probability >= (hasVoice ? Self.end : onset)
  }
}
