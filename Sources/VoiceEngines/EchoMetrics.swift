/// What an echo canceller knows of itself. Nil is not known, or not yet.
public struct EchoMetrics: Sendable, Equatable {
  /// From loudspeaker to microphone, in dB.
  public var echoReturnLoss: Float?
  /// What the canceller adds to it, in dB.
  public var echoReturnLossEnhancement: Float?
  /// Of the echo behind the reference.
  public var delay: Duration?

  public init(
    echoReturnLoss: Float? = nil, echoReturnLossEnhancement: Float? = nil, delay: Duration? = nil
  ) {
    self.echoReturnLoss = echoReturnLoss
    self.echoReturnLossEnhancement = echoReturnLossEnhancement
    self.delay = delay
  }
}
