import AudioCore
import VoiceEngines

/// An engine with exactly known behaviour. It delays audio by 16 ms, counts frames above a
/// threshold as speech, and reports that it removes the echo.
class ScriptedEngine: VoiceEngine {
  /// The threshold of a frame's peak.
  static let threshold: Float = 0.05

  static let identity = EngineIdentity(name: "scripted", version: "1")
  static let processingRates = SampleRate.allCases
  static let bestReferenceLead = Duration.zero
  static let goodReferenceLeads = Duration.zero ... .milliseconds(50)

  private var delay: DelayLine

  required init(format: EngineFormat, settings: EngineSettings) {
    delay = DelayLine(
      delay: ScriptedEngine.latencySamples(format), channelCount: format.channelCount)
  }

  class func supports(_ settings: EngineSettings, _ format: EngineFormat) -> Bool { true }

  static func latencySamples(_ format: EngineFormat) -> Int { format.rate.hertz * 16 / 1000 }

  static func makeSpeechDetector(rate: SampleRate) -> any SpeechDetector { LevelDetector() }

  func apply(_ settings: EngineSettings, after samples: Int) {}

  func process(
    microphone: borrowing Frame, reference: borrowing Frame, conditions: EchoConditions,
    into output: borrowing Frame
  ) -> FrameFindings {
    delay.process(microphone, into: output)
    let hasVoice = output.peak > Self.threshold
    return FrameFindings(
      speechProbability: hasVoice ? 1 : 0, hasVoice: hasVoice, echoReduction: 20)
  }

  var echoMetrics: EchoMetrics { EchoMetrics() }
}

/// An engine that cannot isolate a voice.
final class PlainEngine: ScriptedEngine {
  override class func supports(_ settings: EngineSettings, _ format: EngineFormat) -> Bool {
    !settings.isolatesVoice
  }
}

/// An engine that records its settings.
final class AttentiveEngine: ScriptedEngine {
  private(set) var settings: EngineSettings
  private(set) var changes = 0

  required init(format: EngineFormat, settings: EngineSettings) {
    self.settings = settings
    super.init(format: format, settings: settings)
  }

  override func apply(_ settings: EngineSettings, after samples: Int) {
    self.settings = settings
    changes += 1
  }
}

private final class LevelDetector: SpeechDetector {
  func hasVoice(_ frame: borrowing Frame) -> Bool { frame.peak > ScriptedEngine.threshold }
}
