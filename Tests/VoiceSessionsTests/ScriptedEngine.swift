import AudioCore
import VoiceEngines

/// An engine whose doings are known exactly: audio comes out 16 ms later as it went in, and what is
/// louder than the threshold is speech. What echo there is it removes.
class ScriptedEngine: VoiceEngine {
  /// Of a frame's peak.
  static let threshold: Float = 0.05

  static let identity = EngineIdentity(name: "scripted", version: "1")
  static let processingRates = SampleRate.allCases
  static let bestReferenceLead = Duration.zero
  static let goodReferenceLeads = Duration.zero ... .milliseconds(50)

  let latencySamples: Int
  private var delay: DelayLine

  required init(format: EngineFormat, settings: EngineSettings) {
    latencySamples = format.rate.hertz * 16 / 1000
    delay = DelayLine(delay: latencySamples, channelCount: format.channelCount)
  }

  class func supports(_ settings: EngineSettings, _ format: EngineFormat) -> Bool { true }

  static func makeSpeechDetector(rate: SampleRate) -> any SpeechDetector { LevelDetector() }

  func apply(_ settings: EngineSettings) {}

  func process(
    microphone: borrowing Frame, reference: borrowing Frame, into output: borrowing Frame
  ) -> FrameFindings {
    delay.process(microphone, into: output)
    let hasVoice = output.peak > Self.threshold
    return FrameFindings(
      speechProbability: hasVoice ? 1 : 0, hasVoice: hasVoice, echoReduction: 20)
  }

  var echoMetrics: EchoMetrics { EchoMetrics() }
}

/// One that cannot isolate a voice.
final class PlainEngine: ScriptedEngine {
  override class func supports(_ settings: EngineSettings, _ format: EngineFormat) -> Bool {
    !settings.isolatesVoice
  }
}

/// One that remembers what it was told.
final class AttentiveEngine: ScriptedEngine {
  private(set) var settings: EngineSettings
  private(set) var changes = 0

  required init(format: EngineFormat, settings: EngineSettings) {
    self.settings = settings
    super.init(format: format, settings: settings)
  }

  override func apply(_ settings: EngineSettings) {
    self.settings = settings
    changes += 1
  }
}

private final class LevelDetector: SpeechDetector {
  func hasVoice(_ frame: borrowing Frame) -> Bool { frame.peak > ScriptedEngine.threshold }
}
