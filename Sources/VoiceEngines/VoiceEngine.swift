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

/// Echo cancellation, noise suppression, gain control and voice detection on one microphone.
///
/// An engine does no I/O, reads no clock and belongs to one thread. Its output depends on its
/// input and settings alone, bit for bit.
public protocol VoiceEngine: AnyObject, SendableMetatype {
  static var identity: EngineIdentity { get }

  /// The rates that it works at; audio of another rate is converted before it.
  static var processingRates: [SampleRate] { get }

  /// Whether it can run such settings on such audio. Those of the standard mic mode it always can.
  static func supports(_ settings: EngineSettings, _ format: EngineFormat) -> Bool

  /// A detector of speech in a signal without echo, at one of the processing rates, one channel.
  static func makeSpeechDetector(rate: SampleRate) throws(EngineError) -> any SpeechDetector

  /// By how much the reference should come before its echo: what is best, and what is good enough not
  /// to be disturbed.
  static var bestReferenceLead: Duration { get }
  static var goodReferenceLeads: ClosedRange<Duration> { get }

  init(format: EngineFormat, settings: EngineSettings) throws(EngineError)

  /// Microphone in to output out, in samples of the format's rate; the same whatever the settings.
  var latencySamples: Int { get }

  /// From the next frame on, cross-faded, and without forgetting the echo path.
  func apply(_ settings: EngineSettings)

  /// Processes 10 ms. The reference comes by a good lead before its echo; without one the
  /// loudspeaker counts as silent.
  /// Runs per frame: no allocation, lock, log or await.
  func process(
    microphone: borrowing Frame, reference: borrowing Frame, into output: borrowing Frame
  )
    -> FrameFindings

  var echoMetrics: EchoMetrics { get }
}

/// Finds speech in one signal.
public protocol SpeechDetector: AnyObject {
  /// The verdict on 10 ms. Runs per frame: no allocation, lock, log or await.
  func hasVoice(_ frame: borrowing Frame) -> Bool
}

/// An engine that could not be made.
public struct EngineError: Error, Equatable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}
