public import AudioCore

/// The audio format of an engine.
public struct EngineFormat: Sendable, Equatable {
  /// The rate of the microphone and the output. One of `VoiceEngine.processingRates`.
  public var rate: SampleRate
  public var channelCount: Int
  /// The format of the reference, or nil if there is no reference.
  public var reference: Reference?
  /// Whether the engine also makes the output for a recognizer of speech, if it can.
  public var hasRecognizer = false

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

  /// The same format for a stage that does not use the reference.
  public var withoutReference: EngineFormat {
    EngineFormat(rate: rate, channelCount: channelCount)
  }
}
