/// The stages that an engine runs, and their strength.
public struct EngineSettings: Sendable, Equatable {
  /// Passes audio through unchanged. Detection and latency stay the same.
  public var isBypassed: Bool
  /// Nil disables echo cancellation.
  public var echoSuppression: EchoSuppression?
  /// Nil disables noise suppression.
  public var noiseSuppression: NoiseSuppression?
  /// The target level of speech in decibels below full scale, 0...31. Nil disables gain control.
  public var gainTarget: Int?
  public var highPassFilter: Bool
  /// Whether more than echo and noise is lowered, so that the voice stands alone. `anechoic` lowers competing
  /// voices, `webrtc-audio-processing` everything that is not speech.
  public var isolatesVoice: Bool
  /// Whether the engine skips its most expensive stages, because the server is overloaded. Echo
  /// cancellation, voice detection and latency stay. Has no effect on an engine whose
  /// `hasReducedMode` is false.
  public var isReduced = false

  public enum EchoSuppression: Sendable, CaseIterable { case low, moderate, high }
  public enum NoiseSuppression: Sendable, CaseIterable { case low, moderate, high, veryHigh }

  public init(
    isBypassed: Bool = false, echoSuppression: EchoSuppression? = nil,
    noiseSuppression: NoiseSuppression? = nil, gainTarget: Int? = nil,
    highPassFilter: Bool = false, isolatesVoice: Bool = false
  ) {
    self.isBypassed = isBypassed
    self.echoSuppression = echoSuppression
    self.noiseSuppression = noiseSuppression
    self.gainTarget = gainTarget
    self.highPassFilter = highPassFilter
    self.isolatesVoice = isolatesVoice
  }
}
