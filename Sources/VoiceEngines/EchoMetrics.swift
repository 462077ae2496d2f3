/// What an echo canceller knows of itself. Nil is not known, or not yet.
public struct EchoMetrics: Sendable, Equatable {
  /// From loudspeaker to microphone, in dB.
  public var echoReturnLoss: Float?
  /// What the canceller adds to it, in dB.
  public var echoReturnLossEnhancement: Float?

  public init(
    echoReturnLoss: Float? = nil, echoReturnLossEnhancement: Float? = nil
  ) {
    self.echoReturnLoss = echoReturnLoss
    self.echoReturnLossEnhancement = echoReturnLossEnhancement
  }
}
