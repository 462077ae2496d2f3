internal import AudioCodecs
internal import AudioCore
internal import VoiceEngines

/// Makes a frame of the processed output of a frame of the microphone: converts it to the engine's rate
/// and channels, holds it back so that its reference comes first, runs the engine, and converts the
/// result to the format of the output.
struct CapturePipeline: ~Copyable {
  /// The delays behind the microphone, all of them constant.
  struct Delays {
    /// The delay of `input`.
    let heldBack: Duration
    /// The delay of the processed output.
    let latency: Duration
    /// The same delay in samples of the output, rounded to the nearest.
    let latencySamples: Int
    /// The delays until the engine, and until the output of the engine, in samples of the engine.
    let untilEngineInSamples: Int
    let untilEngineOutSamples: Int
    /// The delay of the sound that findings belong to, in samples of the microphone.
    let findingsSamples: Int64
    let microphoneRate: SampleRate
  }

  let engine: any VoiceEngine
  let format: EngineFormat
  /// The last frame in the format of the engine.
  let input: Frame
  let delays: Delays
  /// The mic mode that runs, and the reason where it is not the preferred one.
  private(set) var micMode: (mode: MicMode, reason: MicMode.Fallback?)
  /// Whether echo cancellation is suspended because there is no echo. This overrides the
  /// configuration.
  private(set) var restsEcho = false
  /// Whether the engine's output is the microphone as it came.
  var isBypassed: Bool { applied.isBypassed }
  /// Whether the echo is removed from the output.
  var removesEcho: Bool { applied.echoSuppression != nil && !isBypassed }
  /// Whether the engine runs in its reduced mode, without its most expensive part.
  private(set) var isReduced = false
  /// The settings that the engine was given last.
  private var applied: EngineSettings
  private var toEngine: FrameConverter
  private var fromEngine: FrameConverter
  private var hold: DelayLine
  private let converted: Frame
  /// The last output of the engine, unless `writesOutput`.
  let engineOutput: Frame

  init(_ setup: SessionSetup, _ engineType: any VoiceEngine.Type) throws {
    let channelCount = min(setup.microphone.channelCount, setup.processed.channelCount)
    let rate = Self.rate(for: setup, engineType.processingRates)
    var format = EngineFormat(
      rate: rate, channelCount: channelCount,
      reference: setup.echoReference.map { .init(rate: $0.rate, channelCount: $0.channelCount) })
    format.hasRecognizer = setup.recognizer != nil
    let micMode = setup.configuration.micMode(of: engineType, format)
    applied = setup.configuration.engineSettings(for: micMode.mode)
    let engine = try engineType.init(format: format, settings: applied)
    let toEngine = try FrameConverter(
      from: setup.microphone.rate, setup.microphone.channelCount, to: rate, channelCount)
    let fromEngine = try FrameConverter(
      from: rate, channelCount, to: setup.processed.rate, setup.processed.channelCount)
    self.format = format
    self.micMode = micMode
    self.engine = engine
    input = Frame(rate: rate, channelCount: channelCount)
    converted = Frame(rate: rate, channelCount: channelCount)
    engineOutput = Frame(rate: rate, channelCount: channelCount)
    hold = DelayLine(delay: Self.holdSamples(engineType, format), channelCount: channelCount)
    let untilEngineIn = toEngine.latencySamples + hold.delay
    let untilEngineOut = untilEngineIn + engineType.latencySamples(format)
    delays = Delays(
      heldBack: rate.duration(ofSamples: untilEngineIn),
      latency: rate.duration(ofSamples: untilEngineOut)
        + setup.processed.rate.duration(ofSamples: fromEngine.latencySamples),
      latencySamples: rate.convert(untilEngineOut, to: setup.processed.rate)
        + fromEngine.latencySamples,
      untilEngineInSamples: untilEngineIn, untilEngineOutSamples: untilEngineOut,
      findingsSamples: Int64(rate.convert(untilEngineOut, to: setup.microphone.rate)),
      microphoneRate: setup.microphone.rate)
    self.toEngine = toEngine
    self.fromEngine = fromEngine
  }

  /// How well the echo is removed. The engine keeps the figures of the time before echo cancellation was
  /// switched off or suspended, and goes on measuring the loss in the room in bypass.
  var echoMetrics: EchoMetrics {
    guard applied.echoSuppression != nil else { return EchoMetrics() }
    var metrics = engine.echoMetrics
    if isBypassed { metrics.echoReturnLossEnhancement = nil }
    return metrics
  }

  /// Creates the output for a recognizer, or nil for a session without it.
  func recognizerOutput(_ setup: SessionSetup) throws -> RecognizerOutput? {
    guard let output = setup.recognizer else { return nil }
    guard let engine = engine as? any RecognitionEngine else {
      throw EngineError("\(type(of: engine).identity) has no output for a recognizer")
    }
    return try RecognizerOutput(
      output, setup, engine, format, untilEngineOut: delays.untilEngineOutSamples)
  }

  /// Lets the engine begin with an echo path. Returns whether it can.
  func begin(with path: EchoPath?) -> Bool {
    guard let path, let engine = engine as? any EchoPathEngine,
      path.fits(type(of: engine), format)
    else { return false }
    engine.begin(withEchoResponses: path.responses)
    return true
  }

  /// Returns the echo path that the engine has learnt, or nil for an engine that tells none.
  func echoPath(lag: Duration, held: Duration) -> EchoPath? {
    guard format.reference != nil, let engine = engine as? any EchoPathEngine else { return nil }
    return EchoPath(
      rate: format.rate, channelCount: format.channelCount, lag: lag, held: held,
      responses: engine.echoResponses)
  }

  /// Creates the output with the microphone as it was captured, or nil for a session without it.
  func rawOutput(_ setup: SessionSetup) throws -> RawOutput? {
    guard let format = setup.raw else { return nil }
    return try RawOutput(format, setup, delaySamples: Int(delays.findingsSamples))
  }

  /// Whether the engine itself writes the output of the session, in the same format.
  var writesOutput: Bool { fromEngine.isIdentity }

  /// Applies a configuration from the microphone's sample on that comes after `samples` of the next frame.
  mutating func apply(_ configuration: SessionConfiguration, after samples: Int = 0) {
    micMode = configuration.micMode(of: type(of: engine), format)
    var settings = configuration.engineSettings(for: micMode.mode)
    if restsEcho { settings.echoSuppression = nil }
    if isReduced {
      settings.isReduced = true
      micMode.reason = .overload
    }
    guard settings != applied else { return }
    applied = settings
    engine.apply(settings, after: delays.untilEngineInSamples + engineSamples(samples))
  }

  /// Returns the number of samples of the engine that cover a number of the microphone.
  private func engineSamples(_ samples: Int) -> Int {
    let (rate, engineRate) = (delays.microphoneRate.hertz, format.rate.hertz)
    return (samples * engineRate + rate - 1) / rate
  }

  /// The samples of the output of the engine before the one that belongs to the microphone's sample after
  /// `samples` of the next frame.
  func engineOutputSamples(until samples: Int) -> Int {
    delays.untilEngineOutSamples + engineSamples(samples)
  }

  /// Switches the engine's reduced mode on or off.
  ///
  /// - Returns: Whether this changes anything. Always false for an engine without a reduced mode.
  mutating func reduce(_ isReduced: Bool, _ configuration: SessionConfiguration) -> Bool {
    guard isReduced != self.isReduced, type(of: engine).hasReducedMode else { return false }
    self.isReduced = isReduced
    apply(configuration)
    return true
  }

  /// Suspends echo cancellation, or resumes it as configured.
  mutating func restEcho(_ rests: Bool, _ configuration: SessionConfiguration) {
    guard rests != restsEcho else { return }
    restsEcho = rests
    apply(configuration)
  }

  /// Converts a frame of the microphone to `input`. Runs per frame: no allocation, lock, log or await.
  mutating func load(_ microphone: borrowing Frame) {
    if toEngine.isIdentity {
      hold.process(microphone, into: input)
    } else {
      toEngine.process(microphone, into: converted)
      hold.process(converted, into: input)
    }
  }

  /// Processes `input`. Runs per frame: no allocation, lock, log or await.
  mutating func process(
    reference: borrowing Frame, _ conditions: EchoConditions, into output: borrowing Frame
  ) -> FrameFindings {
    guard !fromEngine.isIdentity else {
      return engine.process(
        microphone: input, reference: reference, conditions: conditions, into: output)
    }
    let findings = engine.process(
      microphone: input, reference: reference, conditions: conditions, into: engineOutput)
    fromEngine.process(engineOutput, into: output)
    return findings
  }

  /// Returns by how many samples the microphone is held back. An echo may be in the microphone at the
  /// very sample at which it is in the reference.
  private static func holdSamples(_ engine: any VoiceEngine.Type, _ format: EngineFormat) -> Int {
    format.reference == nil ? 0 : format.rate.samples(in: engine.goodReferenceLeads.lowerBound)
  }

  /// Returns the delay from the microphone to the processed output if neither has to be converted.
  static func latency(_ engine: any VoiceEngine.Type, _ format: EngineFormat) -> Duration {
    format.rate.duration(
      ofSamples: holdSamples(engine, format) + engine.latencySamples(format))
  }

  /// The lowest rate that loses nothing between the microphone and the outputs.
  static func rate(for setup: SessionSetup, _ rates: [SampleRate]) -> SampleRate {
    let highest = max(setup.processed.rate, setup.recognizer?.rate ?? setup.processed.rate)
    let needed = min(setup.microphone.rate, highest)
    return rates.filter { $0 >= needed }.min() ?? needed
  }
}

extension SessionConfiguration {
  fileprivate func micMode(
    of engine: any VoiceEngine.Type, _ format: EngineFormat
  ) -> (mode: MicMode, reason: MicMode.Fallback?) {
    preferredMicMode.active { engine.supports(engineSettings(for: $0), format) }
  }
}
