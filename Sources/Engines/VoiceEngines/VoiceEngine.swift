public import AudioCore

/// Echo cancellation, noise suppression, gain control and voice detection for one microphone.
///
/// An engine does no I/O, reads no clock and belongs to one thread. Its output depends only on its
/// input and settings, bit for bit.
public protocol VoiceEngine: AnyObject, SendableMetatype {
  static var identity: EngineIdentity { get }

  /// The sample rates at which the engine works. Audio with another rate is converted first.
  static var processingRates: [SampleRate] { get }

  /// Reads the data that all engines of this kind share, such as weights, so that sessions do not
  /// have to. May be called again.
  static func prepare() throws(EngineError)

  /// Returns whether the engine supports these settings for this format. Every engine supports the
  /// settings of the standard mic mode.
  static func supports(_ settings: EngineSettings, _ format: EngineFormat) -> Bool

  /// Returns the delay from microphone to output, in samples of the format's rate. It is the same
  /// for all settings.
  static func latencySamples(_ format: EngineFormat) -> Int

  /// Creates a speech detector for a signal without echo, with one channel at one of the processing
  /// rates.
  static func makeSpeechDetector(rate: SampleRate) throws(EngineError) -> any SpeechDetector

  /// The time by which the reference should precede its echo: the best value, and the range in
  /// which it does not have to be corrected.
  static var bestReferenceLead: Duration { get }
  static var goodReferenceLeads: ClosedRange<Duration> { get }

  /// Whether the engine needs less processor time with `EngineSettings.isReduced`.
  static var hasReducedMode: Bool { get }

  init(format: EngineFormat, settings: EngineSettings) throws(EngineError)

  /// Applies settings from the microphone's sample on that comes after `samples` of the next frames. In
  /// the output, which is `latencySamples` later, all samples before it are as with the former settings,
  /// and a cross-fade of 10 ms begins there. A fade that would overlap the last one begins with the
  /// first frame after that. The engine keeps what it has learned about the echo path.
  func apply(_ settings: EngineSettings, after samples: Int)

  /// Processes 10 ms. The reference must precede its echo by a good lead. Without a reference, the
  /// loudspeaker counts as silent. An engine may ignore conditions that it cannot use. Runs per frame:
  /// no allocation, lock, log or await.
  func process(
    microphone: borrowing Frame, reference: borrowing Frame, conditions: EchoConditions,
    into output: borrowing Frame
  ) -> FrameFindings

  var echoMetrics: EchoMetrics { get }
}

extension VoiceEngine {
  public static func prepare() throws(EngineError) {}

  public static var hasReducedMode: Bool { false }
}

/// A detector of speech in one signal.
public protocol SpeechDetector: AnyObject {
  /// Returns whether 10 ms of audio contain speech. Runs per frame: no allocation, lock, log or
  /// await.
  func hasVoice(_ frame: borrowing Frame) -> Bool
}

/// The error of an engine that could not be created.
public struct EngineError: Error, Equatable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}

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

/// An engine that has a second output for a recognizer of speech, from the same pass: without echo, with
/// the noise lowered at most a little, and without gain control. Recognizers learn from plain recordings,
/// and lose more words by a strong mask than by the noise that it removes.
public protocol RecognitionEngine: VoiceEngine {
  /// Fills `output` with the second output of the last frame, of the same time as the first output. Call
  /// it once after each `process`, if the format has a recognizer. Bypass does not apply to it. Runs per
  /// frame: no allocation, lock, log or await.
  func readRecognizerOutput(into output: borrowing Frame)
}

/// An engine whose echo canceller can begin with an echo path that was learnt before.
public protocol EchoPathEngine: VoiceEngine {
  /// Returns the longest response of an echo path in a format, in samples of one channel.
  static func longestResponse(_ format: EngineFormat) -> Int

  /// The impulse responses that the canceller has learnt, `longestResponse` samples of each channel, one
  /// channel after the other. Empty without a reference. Allocates.
  var echoResponses: [Float] { get }

  /// Begins with impulse responses, as many samples as `echoResponses` has. Call it before the first frame.
  /// A response that does not fit is forgotten after the first echo.
  func begin(withEchoResponses responses: [Float])
}
