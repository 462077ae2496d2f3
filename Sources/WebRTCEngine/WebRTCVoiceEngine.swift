public import AudioCore
public import VoiceEngines

/// The engine of libwebrtc-audio-processing 0.3.
///
/// Each stage runs in a separate instance of the library, so that its input and its output are
/// available at the same time. A switch is a cross-fade between two aligned signals, and a stage
/// that is off keeps what it has learned.
public final class WebRTCVoiceEngine: VoiceEngine {
  public static let identity = EngineIdentity(name: "webrtc-audio-processing", version: "0.3")
  public static let processingRates: [SampleRate] = [.hz8000, .hz16000, .hz32000, .hz48000]
  // Measured: docs/decisions/0006-echo-canceller-settings.md.
  public static let bestReferenceLead = Duration.milliseconds(20)
  public static let goodReferenceLeads = Duration.milliseconds(5) ... .milliseconds(40)

  public let latencySamples: Int
  private let highPass: HighPassStage
  private let echo: EchoStage?
  private let noise: NoiseStage
  private let gain: GainStage
  private var gate: VoiceGate
  private var processing: AlignedSwitch
  private let filtered: Frame
  private let echoFree: Frame
  private let noiseFree: Frame

  public convenience init(format: EngineFormat, settings: EngineSettings) throws(EngineError) {
    try self.init(format: format, settings: settings, echoSearch: WebRTCEchoSearch())
  }

  public init(
    format: EngineFormat, settings: EngineSettings, echoSearch: WebRTCEchoSearch
  ) throws(EngineError) {
    guard Self.processingRates.contains(format.rate) else {
      throw EngineError("\(Self.identity) does not work at \(format.rate.hertz) Hz")
    }
    highPass = HighPassStage(format, isOn: settings.highPassFilter)
    echo =
      format.reference == nil ? nil : try EchoStage(format, settings.echoSuppression, echoSearch)
    noise = try NoiseStage(format, settings.noiseSuppression)
    gain = try GainStage(format, settings.gainTarget)
    gate = VoiceGate(rate: format.rate, isOn: settings.isolatesVoice)
    latencySamples = (echo?.latencySamples ?? 0) + noise.latencySamples + gain.latencySamples
    processing = AlignedSwitch(
      format, latencySamples: latencySamples, isOn: !settings.isBypassed)
    filtered = Frame(rate: format.rate, channelCount: format.channelCount)
    echoFree = Frame(rate: format.rate, channelCount: format.channelCount)
    noiseFree = Frame(rate: format.rate, channelCount: format.channelCount)
  }

  public static func supports(_ settings: EngineSettings, _ format: EngineFormat) -> Bool { true }

  public static func makeSpeechDetector(
    rate: SampleRate
  ) throws(EngineError) -> any SpeechDetector {
    try WebRTCSpeechDetector(rate: rate)
  }

  public func apply(_ settings: EngineSettings) {
    highPass.apply(isOn: settings.highPassFilter)
    echo?.apply(settings.echoSuppression)
    noise.apply(settings.noiseSuppression)
    gain.apply(settings.gainTarget)
    gate.isOn = settings.isolatesVoice
    processing.turn(on: !settings.isBypassed, hasRun: true)
  }

  public func process(
    microphone: borrowing Frame, reference: borrowing Frame, into output: borrowing Frame
  ) -> FrameFindings {
    highPass.process(microphone, into: filtered)
    var findings: FrameFindings
    if let echo {
      echo.process(filtered, reference: reference, into: echoFree)
      findings = noise.process(echoFree, into: noiseFree)
    } else {
      findings = noise.process(filtered, into: noiseFree)
    }
    findings.echoReduction = echo?.echoReduction
    echo?.note(hasVoice: findings.hasVoice)
    gain.process(noiseFree, into: processing.processed)
    gate.process(processing.processed, hasVoice: findings.hasVoice)
    processing.select(microphone, into: output)
    return findings
  }

  public var echoMetrics: EchoMetrics { echo?.metrics ?? EchoMetrics() }
}
