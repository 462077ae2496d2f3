/// The results of an engine for one frame.
public struct FrameFindings: Sendable, Equatable {
  /// The probability of speech in the echo-cancelled microphone, 0...1.
  public var speechProbability: Float
  /// Whether the engine detects speech in the echo-cancelled microphone.
  public var hasVoice: Bool
  /// The reduction by the echo canceller in dB, measured over the last 0.3 s in which the
  /// microphone contained the reference. Nil until it is known.
  public var echoReduction: Float?
  /// The probability that somebody talks near the microphone, 0...1. Echo and voices in the background
  /// do not count. Nil if the engine does not know.
  public var nearEndProbability: Float?
  /// The likelihood that echo remains in the output, 0...1: the estimated part of the output's power that is
  /// echo. Nil if the engine does not know.
  public var residualEcho: Float?

  public init(
    speechProbability: Float, hasVoice: Bool, echoReduction: Float? = nil,
    nearEndProbability: Float? = nil, residualEcho: Float? = nil
  ) {
    self.speechProbability = speechProbability
    self.hasVoice = hasVoice
    self.echoReduction = echoReduction
    self.nearEndProbability = nearEndProbability
    self.residualEcho = residualEcho
  }
}
