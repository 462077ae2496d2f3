public import AudioCore
public import VoiceEngines

/// An engine that delays the microphone, by 2 ms without a reference and by 7 ms with one, and does
/// nothing else.
open class DelayEngine: VoiceEngine {
  open class var identity: EngineIdentity {
    EngineIdentity(name: "delay", version: "1", weights: String(repeating: "5a", count: 32))
  }

  open class var hasReducedMode: Bool { false }
  public static let processingRates: [SampleRate] = [.hz16000, .hz48000]
  public static let bestReferenceLead = Duration.milliseconds(20)
  public static let goodReferenceLeads = Duration.milliseconds(5) ... .milliseconds(40)

  private var delay: DelayLine

  public required init(format: EngineFormat, settings: EngineSettings) {
    delay = DelayLine(
      delay: DelayEngine.latencySamples(format), channelCount: format.channelCount)
  }

  public static func supports(_ settings: EngineSettings, _ format: EngineFormat) -> Bool { true }

  public static func latencySamples(_ format: EngineFormat) -> Int {
    format.rate.samples(in: .milliseconds(format.reference == nil ? 2 : 7))
  }

  public static func makeSpeechDetector(rate: SampleRate) -> any SpeechDetector { NoVoice() }

  open func apply(_ settings: EngineSettings, after samples: Int) {}

  open func process(
    microphone: borrowing Frame, reference: borrowing Frame, conditions: EchoConditions,
    into output: borrowing Frame
  ) -> FrameFindings {
    delay.process(microphone, into: output)
    return FrameFindings(speechProbability: 0, hasVoice: false)
  }

  public var echoMetrics: EchoMetrics { EchoMetrics() }

  private final class NoVoice: SpeechDetector {
    func hasVoice(_ frame: borrowing Frame) -> Bool { false }
  }
}

/// The same engine with other weights.
public final class RetrainedDelayEngine: DelayEngine {
  public override class var identity: EngineIdentity {
    EngineIdentity(name: "delay", version: "1", weights: String(repeating: "c3", count: 32))
  }
}
