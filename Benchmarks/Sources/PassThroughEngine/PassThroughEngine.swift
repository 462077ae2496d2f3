public import AudioCore
public import VoiceEngines

/// An engine that copies the microphone to the output, so that a benchmark shows the cost of
/// everything around an engine.
public final class PassThroughEngine: VoiceEngine {
  public static let identity = EngineIdentity(name: "pass-through", version: "1")
  public static let processingRates: [SampleRate] = [.hz8000, .hz16000, .hz32000, .hz48000]
  public static let bestReferenceLead = Duration.milliseconds(20)
  public static let goodReferenceLeads = Duration.milliseconds(5) ... .milliseconds(40)

  public init(format: EngineFormat, settings: EngineSettings) {}

  public static func supports(_ settings: EngineSettings, _ format: EngineFormat) -> Bool { true }

  public static func latencySamples(_ format: EngineFormat) -> Int { 0 }

  public static func makeSpeechDetector(rate: SampleRate) -> any SpeechDetector { NoVoice() }

  public func apply(_ settings: EngineSettings, after samples: Int) {}

  public func process(
    microphone: borrowing Frame, reference: borrowing Frame, conditions: EchoConditions,
    into output: borrowing Frame
  ) -> FrameFindings {
    output.copy(microphone)
    return FrameFindings(speechProbability: 0, hasVoice: false)
  }

  public var echoMetrics: EchoMetrics { EchoMetrics() }

  private final class NoVoice: SpeechDetector {
    func hasVoice(_ frame: borrowing Frame) -> Bool { false }
  }
}
