public import AudioCore

/// The audio that an engine is made for.
public struct EngineFormat: Sendable, Equatable {
  /// Of the microphone and the output; one of `VoiceEngine.processingRates`.
  public var rate: SampleRate
  public var channelCount: Int
  /// What the loudspeaker plays; nil where there is no reference.
  public var reference: Reference?

  public struct Reference: Sendable, Equatable {
    public var rate: SampleRate
    public var channelCount: Int

    public init(rate: SampleRate, channelCount: Int) {
      self.rate = rate
      self.channelCount = channelCount
    }
  }

  public init(rate: SampleRate, channelCount: Int, reference: Reference? = nil) {
    self.rate = rate
    self.channelCount = channelCount
    self.reference = reference
  }

  /// The same for a stage that does not hear the loudspeaker.
  public var withoutReference: EngineFormat {
    EngineFormat(rate: rate, channelCount: channelCount)
  }
}
