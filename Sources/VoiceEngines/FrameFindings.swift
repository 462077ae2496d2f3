/// The results of an engine for one frame.
public struct FrameFindings: Sendable, Equatable {
  /// The probability of speech in the echo-cancelled microphone, 0...1.
  public var speechProbability: Float
  /// Whether the engine detects speech in the echo-cancelled microphone.
  public var hasVoice: Bool
  /// The reduction by the echo canceller in dB, measured over the last 0.3 s in which the
  /// microphone contained the reference. Nil until it is known.
  public var echoReduction: Float?

  public init(speechProbability: Float, hasVoice: Bool, echoReduction: Float? = nil) {
    self.speechProbability = speechProbability
    self.hasVoice = hasVoice
    self.echoReduction = echoReduction
  }
}
