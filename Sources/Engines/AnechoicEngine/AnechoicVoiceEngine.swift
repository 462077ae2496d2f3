internal import AudioCodecs
public import AudioCore
public import VoiceEngines

/// The engine of this project: a linear echo canceller whose adaptation is learned, a network that
/// masks residual echo, noise and competing voices, and a network for voice activity. All of them
/// work on the same spectra, of 20 ms every 10 ms.
public final class AnechoicVoiceEngine: RecognitionEngine, EchoPathEngine, EnrollmentEngine {
  public static let identity = EngineIdentity(
    name: "anechoic", version: "1.28", weights: EngineWeights.hash)
  public static let processingRates: [SampleRate] = [.hz8000, .hz16000, .hz32000, .hz48000]
  public static let bestReferenceLead = Duration.milliseconds(20)
  /// The filter is long enough for a lead of 90 ms. The lag that is found may be that of a
  /// reflection, and the direct sound may come 30 ms before it: a move would leave the direct sound
  /// without a lead.
  public static let goodReferenceLeads = Duration.milliseconds(4) ... .milliseconds(90)

  /// The reduced mode skips the decoder of the mask network: neither noise nor residual echo is
  /// suppressed.
  public static let hasReducedMode = true

  /// The probability from which on a voice is learnt.
  private static let sureVoice: Float = 0.8
  /// The mean square, -100 dBFS, below which a microphone is silent.
  private static let silence: Float = 1e-10

  private var inputs: EngineInputs
  private var analysis: CallAnalysis
  private var mask: Mask
  private var output: FadedOutput
  private var isolation: VoiceIsolation
  private var decision = VoiceDecision()
  private var onset = OnsetLimit()
  private var tone: ToneDetector
  private var otherSounds: OtherSoundDetector
  private var echo = EchoObservation()
  private var processing: AlignedSwitch
  /// Whether the canceller has been on. It then continues to adapt while it is off.
  private var adaptsCanceller: Bool

  public init(format: EngineFormat, settings: EngineSettings) throws(EngineError) {
    guard Self.processingRates.contains(format.rate) else {
      throw EngineError("\(Self.identity) does not work at \(format.rate.hertz) Hz")
    }
    let weights = try EngineWeights.get()
    let hop = format.rate.samplesPerFrame
    inputs = try EngineInputs(format, highPassFilter: settings.highPassFilter)
    analysis = CallAnalysis(
      hop: hop, channelCount: format.channelCount, hasReference: format.reference != nil,
      weights: weights, quietRoomState: EngineWeights.quietRoomState)
    mask = Mask(bins: hop + 1, hasRecognizer: format.hasRecognizer)
    output = FadedOutput(settings, format, analysis.spectra)
    isolation = VoiceIsolation(weights: try IsolationWeights.get())
    tone = ToneDetector(hop: hop)
    otherSounds = OtherSoundDetector(weights: try OtherSoundDetector.weights())
    processing = AlignedSwitch(format, latencySamples: hop, isOn: !settings.isBypassed)
    adaptsCanceller = settings.echoSuppression != nil
  }

  public static func prepare() throws(EngineError) {
    _ = try EngineWeights.get()
    _ = EngineWeights.quietRoomState
    _ = try IsolationWeights.get()
    _ = try OtherSoundDetector.weights()
  }

  public static func supports(_ settings: EngineSettings, _ format: EngineFormat) -> Bool { true }

  /// The windows overlap by 10 ms.
  public static func latencySamples(_ format: EngineFormat) -> Int { format.rate.samplesPerFrame }

  public static func makeSpeechDetector(
    rate: SampleRate
  ) throws(EngineError) -> any SpeechDetector {
    try AnechoicSpeechDetector(rate: rate)
  }

  public func apply(_ settings: EngineSettings, after samples: Int) {
    inputs.applyHighPass(isOn: settings.highPassFilter, after: samples)
    // It adapts before it is heard.
    if settings.echoSuppression != nil { adaptsCanceller = true }
    processing.turn(on: !settings.isBypassed, after: samples)
    output.add(settings, after: samples + inputs.sound.sampleCount)
  }

  public func process(
    microphone: borrowing Frame, reference: borrowing Frame, conditions: EchoConditions,
    into output: borrowing Frame
  ) -> FrameFindings {
    // The analysis follows the settings a frame later, so that no sample before a fade depends on them.
    let cancelsEcho = self.output.cancelsEcho
    self.output.followSettings()
    follow(conditions.path)
    echo.isDoubtful = conditions.mayHearEcho
    inputs.load(microphone: microphone)
    let skipsMask = self.output.skipsMask
    let probability = analyze(
      reference, conditions, cancelsEcho: cancelsEcho, computesGains: !skipsMask)
    if !skipsMask { self.output.advanceLimits() }
    if !analysis.isInHole {
      record(probability: probability, cancelsEcho: cancelsEcho, skipsMask: skipsMask)
    }
    if processing.needsOnlyProcessed {
      render(cancelsEcho: cancelsEcho, skipsMask: skipsMask, into: output)
      processing.skip(inputs.sound)
    } else {
      render(cancelsEcho: cancelsEcho, skipsMask: skipsMask, into: processing.processed)
      processing.select(inputs.sound, into: output)
    }
    if !cancelsEcho {
      echo.meter = EchoReductionMeter()
    } else if !analysis.isInHole {
      echo.meter.record(
        reference: analysis.features.means.reference, input: analysis.features.means.microphone,
        output: mask.powerAfterEcho)
    }
    return FrameFindings(
      speechProbability: decision.probability, hasVoice: decision.hasVoice,
      echoReduction: cancelsEcho ? echo.meter.reduction : nil,
      nearEndProbability: decision.probability,
      residualEcho: cancelsEcho ? mask.residualEcho : nil,
      explainedShare: cancelsEcho ? analysis.spectra.estimateCoherence : nil,
      echoPresence: cancelsEcho ? analysis.spectra.estimatePresence : nil)
  }

  /// Records what the analysis has found in the frame.
  private func record(probability: Float, cancelsEcho: Bool, skipsMask: Bool) {
    onset.advance(isSilent: analysis.features.hasLongSilence)
    tone.record(
      cancelsEcho
        ? analysis.spectra.withoutEcho + inputs.sound.sampleCount
        : UnsafePointer(inputs.filtered.planePointers[analysis.spectra.leadingChannel]))
    otherSounds.record(tone.lowBand)
    recordSound(skipsMask: skipsMask)
    echo.record(analysis.features)
    let voice = probability * otherSounds.voiceShare
    decision.record(
      voice * isolation.probability, power: mask.powerWithoutEcho, echo: echo.estimate,
      farEndPlays: echo.farEndPlays,
      isLikely: onset.isAfterSilence, isTone: tone.excludesVoice)
    // A voice that isolation removes can be learnt too.
    if voice > Self.sureVoice, !tone.isTone, !echo.farEndPlays, !skipsMask {
      isolation.hearSureVoice(most: Self.enrollmentFrames.upperBound)
    }
  }

  /// Records the frame for the outputs: its voices and its mask.
  private func recordSound(skipsMask: Bool) {
    guard !skipsMask else {
      isolation.pause()
      return mask.open(power: analysis.features.means.error)
    }
    // The decision about a voice, on which gain control depends, hears of the isolation. So it begins and
    // ends after the fade.
    isolation.process(
      analysis.features.errorPowers, echo: analysis.gains.echo, voice: analysis.auxiliaryVoice,
      isolates: output.isolatesVoice)
    mask.record(
      analysis.gains, powers: analysis.features.errorPowers, voice: analysis.auxiliaryVoice)
  }

  /// The largest mean square to which gain control may raise a frame: that of the microphone if the
  /// frame may contain echo. The output overlaps the last two frames.
  private var powerLimit: Float? {
    let mayHaveEcho =
      echo.estimate.isAudible || echo.isDoubtful || echo.path == .unknown && echo.farEndPlays
    let powers = inputs.microphonePowers
    return mayHaveEcho ? max(powers.last, powers.before) : nil
  }

  /// Follows the echo path. When the session has found the delay of the echo, it moves the
  /// reference, and the canceller adapts to the buffered last second again. Later moves of the
  /// reference follow a change of the echo's delay, after which the filter fits again.
  private func follow(_ path: EchoConditions.Path) {
    defer { echo.path = path }
    switch path {
    case .new:
      analysis.resetEchoPath()
      echo.meter = EchoReductionMeter()
    case .moved(let samples) where echo.path == .unknown:
      let most = Double(inputs.sound.rate.hertz)
      let moved = inputs.microphoneSamples(ofPlayed: samples)
      analysis.followFirstMove(by: Int(min(max(moved, -most), most).rounded()))
    case .moved, .steady, .unknown: break
    }
  }

  /// Analyzes a frame. The canceller does not adapt to frames in which a signal is incomplete, and
  /// so removes the echo better afterwards. Nor does it adapt to a microphone that its own switch or
  /// noise gate mutes: the filter would converge to zero. The networks then hear no reference.
  private func analyze(
    _ reference: borrowing Frame, _ conditions: EchoConditions, cancelsEcho: Bool,
    computesGains: Bool
  ) -> Float {
    guard inputs.hasReference, adaptsCanceller else {
      return analysis.accept(
        inputs.filtered, reference: nil, meanSquare: inputs.sound.meanSquare,
        isConcealed: conditions.isMicrophoneConcealed, cancelsEcho: false,
        computesGains: computesGains)
    }
    inputs.load(reference: reference)
    return analysis.accept(
      inputs.filtered, reference: inputs.reference.planePointers[0],
      meanSquare: inputs.sound.meanSquare, isConcealed: conditions.isMicrophoneConcealed,
      learns: !conditions.isReferenceMissing && !conditions.isMicrophoneConcealed
        && inputs.microphonePowers.last > Self.silence,
      isSearching: conditions.path == .unknown,
      cancelsEcho: cancelsEcho && !conditions.isMicrophoneMuted,
      computesGains: computesGains)
  }

  /// The part of the frame's power that was echo. Nil if the reference plays and the mask network
  /// does not run.
  private var echoShare: Float? {
    let isSilent = analysis.features.means.reference <= EchoReductionMeter.leastPower
    guard !echo.isDoubtful else { return nil }
    return mask.echoShare ?? (isSilent ? 0 : nil)
  }

  public func readRecognizerOutput(into output: borrowing Frame) {
    self.output.readRecognizer(analysis.spectra, into: output)
  }

  /// Makes the output of the frame.
  private func render(
    cancelsEcho: Bool, skipsMask: Bool, into output: borrowing Frame
  ) {
    let findings = ProcessedOutput.Findings(
      cancelsEcho: cancelsEcho, skipsMask: skipsMask,
      minimumNoiseGain: tone.isTone ? 1 : onset.minimumGain,
      probability: tone.isTone || analysis.isInHole ? 0 : decision.probabilityOfFrame,
      echoShare: echoShare,
      powerLimit: powerLimit)
    self.output.render(
      findings, analysis, &mask, competingVoices: isolation.gains, into: output)
  }

  public static let encoder = "anechoic-1"
  public static let voiceprintLength = VoiceEncoder.count
  public static let enrollmentFrames = 200...500

  public func isolate(_ voiceprint: [Float]?) { isolation.isolate(voiceprint) }

  public func beginEnrollment() { isolation.beginEnrollment() }

  public func endEnrollment() { isolation.endEnrollment() }

  public var enrollment: EnrollmentProgress? { isolation.progress }

  public var likeness: Float? { analysis.isInHole ? nil : isolation.sureLikeness }

  public var enrolledVoiceprint: [Float] {
    (isolation.progress?.frames ?? 0) < Self.enrollmentFrames.lowerBound ? [] : isolation.voiceprint
  }

  public static func longestResponse(_ format: EngineFormat) -> Int {
    EchoFilter.responseLength(hop: format.rate.samplesPerFrame)
  }

  public var echoResponses: [Float] { analysis.spectra.echoResponses }

  public func begin(withEchoResponses responses: [Float]) {
    analysis.spectra.begin(withEchoResponses: responses)
  }

  public var echoMetrics: EchoMetrics {
    EchoMetrics(
      echoReturnLoss: echo.meter.returnLoss, echoReturnLossEnhancement: echo.meter.reduction)
  }
}
