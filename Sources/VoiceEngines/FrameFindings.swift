/// What an engine found in a frame.
public struct FrameFindings: Sendable, Equatable {
  /// That there is speech in the echo-cancelled microphone, 0...1.
  public var speechProbability: Float
  /// The engine's verdict on the same.
  public var hasVoice: Bool
  /// By how much the echo canceller lowers a microphone in which the reference is heard, in dB, over
  /// the last 0.3 s of such; nil before it is known.
  public var echoReduction: Float?

  public init(speechProbability: Float, hasVoice: Bool, echoReduction: Float? = nil) {
    self.speechProbability = speechProbability
    self.hasVoice = hasVoice
    self.echoReduction = echoReduction
  }
}
