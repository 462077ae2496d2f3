/// Which stages an engine runs, and how strongly.
public struct EngineSettings: Sendable, Equatable {
  /// Audio passes untouched; detection and latency stay.
  public var isBypassed: Bool
  /// Nil is off.
  public var echoSuppression: EchoSuppression?
  /// Nil is off.
  public var noiseSuppression: NoiseSuppression?
  /// The level that speech is brought to, in decibels below full scale, 0...31; nil is off.
  public var gainTarget: Int?
  public var highPassFilter: Bool
  /// Whether what is not speech is lowered further than noise suppression does.
  public var isolatesVoice: Bool

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
