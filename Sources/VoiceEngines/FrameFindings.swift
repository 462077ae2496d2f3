/// What an engine found in a frame.
public struct FrameFindings: Sendable, Equatable {
  /// That there is speech in the echo-cancelled microphone, 0...1.
  public var speechProbability: Float
  /// The engine's verdict on the same.
  public var hasVoice: Bool

  public init(speechProbability: Float, hasVoice: Bool) {
    self.speechProbability = speechProbability
    self.hasVoice = hasVoice
  }
}
