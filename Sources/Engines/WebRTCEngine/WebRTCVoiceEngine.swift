public import AudioCore
public import VoiceEngines

/// The engine of libwebrtc-audio-processing 0.3.
///
/// Each stage runs in a separate instance of the library, so that its input and its output are
/// available at the same time. A switch is a cross-fade between two aligned signals, and a stage
/// that is off keeps what it has learned.
public final class WebRTCVoiceEngine: RecognitionEngine {
  public static let identity = EngineIdentity(name: "webrtc-audio-processing", version: "0.3")
  public static let processingRates: [SampleRate] = [.hz8000, .hz16000, .hz32000, .hz48000]
  // docs/decisions/0006-echo-canceller-settings.md contains the measurement.
  public static let bestReferenceLead = Duration.milliseconds(20)
  public static let goodReferenceLeads = Duration.milliseconds(5) ... .milliseconds(40)

  /// The reduced mode runs without noise suppression.
  public static let hasReducedMode = true

  private var highPass: HighPassStage
  private var echo: EchoStage?
  private var noise: NoiseStage
  private var gain: GainStage
  private var gate: VoiceGate
  private var processing: AlignedSwitch
  private let finiteMicrophone: FiniteInput
  private let finiteReference: FiniteInput
  /// The reference of a microphone that is muted, which would teach that there is no echo.
  private let silentReference: Frame
  private let echoFree: Frame
  private let scratch: Frame  // The output of a stage for the next stage.
  private var waiting = WaitingValues<EngineSettings>()
  /// The delay of the stages after echo cancellation, for the output for a recognizer.
  private var laterStages: DelayLine

  public convenience init(format: EngineFormat, settings: EngineSettings) throws(EngineError) {
    try self.init(format: format, settings: settings, echoSearch: WebRTCEchoSearch())
  }

  public init(
    format: EngineFormat, settings: EngineSettings, echoSearch: WebRTCEchoSearch
  ) throws(EngineError) {
    guard Self.processingRates.contains(format.rate) else {
      throw EngineError("\(Self.identity) does not work at \(format.rate.hertz) Hz")
    }
    // The initializers that can fail come first, because a noncopyable value cannot be half
    // initialized.
    let echo =
      format.reference == nil ? nil : try EchoStage(format, settings.echoSuppression, echoSearch)
    let noise = try NoiseStage(format, settings.noiseSuppression)
    let gain = try GainStage(format, settings.gainTarget)
    highPass = HighPassStage(format, isOn: settings.highPassFilter)
    self.echo = echo
    self.noise = noise
    self.gain = gain
    gate = VoiceGate(rate: format.rate, isOn: settings.isolatesVoice)
    processing = AlignedSwitch(
      format, latencySamples: Self.latencySamples(format), isOn: !settings.isBypassed)
    finiteMicrophone = FiniteInput(rate: format.rate, channelCount: format.channelCount)
    let reference = format.reference ?? .init(rate: format.rate, channelCount: format.channelCount)
    finiteReference = FiniteInput(rate: reference.rate, channelCount: reference.channelCount)
    silentReference = Frame(rate: reference.rate, channelCount: reference.channelCount)
    echoFree = Frame(rate: format.rate, channelCount: format.channelCount)
    scratch = Frame(rate: format.rate, channelCount: format.channelCount)
    laterStages = DelayLine(
      delay: Self.latencySamples(format.withoutReference), channelCount: format.channelCount)
  }

  public static func supports(_ settings: EngineSettings, _ format: EngineFormat) -> Bool { true }

  public static func latencySamples(_ format: EngineFormat) -> Int {
    (format.reference == nil ? 0 : WebRTCLatency.echoCancellation(format.rate))
      + WebRTCLatency.noiseSuppression(format.rate) + WebRTCLatency.gainControl(format.rate)
  }

  public static func makeSpeechDetector(
    rate: SampleRate
  ) throws(EngineError) -> any SpeechDetector {
    try WebRTCSpeechDetector(rate: rate)
  }

  public func apply(_ settings: EngineSettings, after samples: Int) {
    // The stages after a switch hear it up to their latency before its sample. So the last stage turns at
    // this sample, and those before it later by their own latency.
    let end = samples + processing.latencySamples
    highPass.apply(isOn: settings.highPassFilter, after: end)
    echo?.turn(on: settings.echoSuppression != nil, after: end)
    noise.turn(on: settings.noiseSuppression != nil && !settings.isReduced, after: end)
    gain.turn(on: settings.gainTarget != nil, after: end - gain.latencySamples)
    processing.turn(on: !settings.isBypassed, after: samples)
    waiting.add(settings, after: end)
  }

  /// Sets the strengths that are due. The library takes them for whole frames, so they begin with the
  /// first frame of the output that begins at their sample or later.
  private func setStrengths() {
    while let settings = waiting.popFirst(within: 1)?.value {
      if let suppression = settings.echoSuppression { echo?.set(suppression) }
      noise.set(settings.noiseSuppression, isReduced: settings.isReduced)
      if let target = settings.gainTarget { gain.set(target) }
      gate.isOn = settings.isolatesVoice
    }
    waiting.advance(by: scratch.sampleCount)
  }

  public func process(
    microphone: borrowing Frame, reference: borrowing Frame, conditions: EchoConditions,
    into output: borrowing Frame
  ) -> FrameFindings {
    setStrengths()
    return finiteMicrophone.pass(microphone) { microphone in
      guard echo != nil else { return run(microphone, reference, into: output) }
      guard !conditions.isMicrophoneMuted else {
        return run(microphone, silentReference, into: output)
      }
      return finiteReference.pass(reference) { run(microphone, $0, into: output) }
    }
  }

  private func run(
    _ microphone: borrowing Frame, _ reference: borrowing Frame, into output: borrowing Frame
  ) -> FrameFindings {
    if echo == nil {
      highPass.process(microphone, into: echoFree)
    } else {
      highPass.process(microphone, into: scratch)
      echo?.process(scratch, reference: reference, into: echoFree)
    }
    var findings = noise.process(echoFree, into: scratch)
    findings.echoReduction = echo?.echoReduction
    echo?.record(hasVoice: findings.hasVoice)
    if processing.needsOnlyProcessed {
      gain.process(scratch, into: output)
      gate.process(output, hasVoice: findings.hasVoice)
      processing.skip(microphone)
    } else {
      gain.process(scratch, into: processing.processed)
      gate.process(processing.processed, hasVoice: findings.hasVoice)
      processing.select(microphone, into: output)
    }
    return findings
  }

  /// The signal without echo. Its noise stays as it is.
  public func readRecognizerOutput(into output: borrowing Frame) {
    laterStages.process(echoFree, into: output)
  }

  public var echoMetrics: EchoMetrics { echo?.metrics ?? EchoMetrics() }
}

/// The library's voice detection alone, for a signal that needs no processing.
final class WebRTCSpeechDetector: SpeechDetector {
  private let processor: WebRTCProcessor
  private let unused: Frame

  init(rate: SampleRate) throws(EngineError) {
    processor = try WebRTCProcessor(EngineFormat(rate: rate, channelCount: 1))
    processor.setVoiceDetection()
    unused = Frame(rate: rate, channelCount: 1)
  }

  func hasVoice(_ frame: borrowing Frame) -> Bool {
    processor.process(frame, into: unused)
    return processor.hasVoice
  }
}
