/// Measurements of an echo canceller. A value that is not known, or not known yet, is nil.
public struct EchoMetrics: Sendable, Equatable {
  /// The attenuation from loudspeaker to microphone, in dB.
  public var echoReturnLoss: Float?
  /// The additional attenuation by the canceller, in dB.
  public var echoReturnLossEnhancement: Float?

  public init(
    echoReturnLoss: Float? = nil, echoReturnLossEnhancement: Float? = nil
  ) {
    self.echoReturnLoss = echoReturnLoss
    self.echoReturnLossEnhancement = echoReturnLossEnhancement
  }
}
