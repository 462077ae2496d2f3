public import AudioCore

/// What an engine is called, so that a recording can say what made it: the same input gives the
/// same output with the same engine only.
public struct EngineIdentity: Sendable, Equatable, CustomStringConvertible {
  public let name: String
  public let version: String

  public init(name: String, version: String) {
    self.name = name
    self.version = version
  }

  public var description: String { "\(name)/\(version)" }
}

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
}

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

/// Echo cancellation, noise suppression, gain control and voice detection on one microphone.
///
/// An engine does no I/O, reads no clock and belongs to one thread. Its output depends on its
/// input and settings alone, bit for bit.
public protocol VoiceEngine: AnyObject {
  static var identity: EngineIdentity { get }

  /// The rates that it works at; audio of another rate is converted before it.
  static var processingRates: [SampleRate] { get }

  init(format: EngineFormat, settings: EngineSettings) throws(EngineError)

  /// Microphone in to output out, in samples of the format's rate; the same whatever the settings.
  var latencySamples: Int { get }

  /// From the next frame on, cross-faded, and without forgetting the echo path.
  func apply(_ settings: EngineSettings)

  /// Processes 10 ms. Without a reference the loudspeaker counts as silent.
  /// Runs per frame: no allocation, lock, log or await.
  func process(microphone: borrowing Frame, reference: borrowing Frame, into output: borrowing Frame)
    -> FrameFindings

  var echoMetrics: EchoMetrics { get }
}

/// An engine that could not be made.
public struct EngineError: Error, Equatable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}
