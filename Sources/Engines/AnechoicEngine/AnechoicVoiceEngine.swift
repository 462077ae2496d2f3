internal import AudioCodecs
public import AudioCore
public import VoiceEngines

/// The engine of this project: a linear echo canceller whose adaptation is learned, a network that
/// masks residual echo, noise and competing voices, and a network for voice activity. All of them
/// work on the same spectra, of 20 ms every 10 ms.
public final class AnechoicVoiceEngine: RecognitionEngine, EchoPathEngine, EnrollmentEngine {
  public static let identity = EngineIdentity(
    name: "anechoic", version: "1.21", weights: EngineWeights.hash)
  public static let processingRates: [SampleRate] = [.hz8000, .hz16000, .hz32000, .hz48000]
  public static let bestReferenceLead = Duration.milliseconds(20)
  /// The filter is long enough for a lead of 90 ms. The lag that is found may be that of a
  /// reflection, and the direct sound may come 30 ms before it: a move would leave the direct sound
  /// without a lead.
  public static let goodReferenceLeads = Duration.milliseconds(4) ... .milliseconds(90)

  /// The reduced mode skips the decoder of the mask network: neither noise nor residual echo is
  /// suppressed.
  public static let hasReducedMode = true

  /// The number of frames after the reference in which its echo may arrive while its delay is not
  /// known.
  private static let longestEcho = 115
  /// The probability from which on a voice is learnt.
  private static let sureVoice: Float = 0.8
  /// The mean square, -100 dBFS, below which a microphone is silent.
  private static let silence: Float = 1e-10

  private var highPass: HighPassStage
  private let sound: Frame
  private let filtered: Frame
  private let played: Frame
  private var toReference: FrameConverter
  private let reference: Frame
  private let hasReference: Bool
  private var analysis: CallAnalysis
  private var mask: Mask
  private var output: ProcessedOutput
  /// The output by the settings before, during a fade.
  private var formerOutput: ProcessedOutput
  private let formerSound: Frame
  /// The fade from the former output to the present one, from this frame on and from the next one on.
  private var fade = CrossfadeSwitch(isOn: true)
  private var nextFade = CrossfadeSwitch(isOn: true)
  private var waiting = WaitingValues<EngineSettings>()
  private var isolation: VoiceIsolation
  private var decision = VoiceDecision()
  private var onset = OnsetLimit()
  private var tone: ToneDetector
  private var instruments: InstrumentDetector
  private var echoEstimate = LinearEchoEstimate()
  private var echo = EchoReductionMeter()
  /// The mean squares of the last two frames of the microphone.
  private var microphonePowers: (last: Float, before: Float) = (0, 0)
  private var framesSinceReference = AnechoicVoiceEngine.longestEcho
  private var processing: AlignedSwitch
  private var path = EchoConditions.Path.unknown
  /// Whether the canceller has been on. It then continues to adapt while it is off.
  private var adaptsCanceller: Bool

  public init(format: EngineFormat, settings: EngineSettings) throws(EngineError) {
    guard Self.processingRates.contains(format.rate) else {
      throw EngineError("\(Self.identity) does not work at \(format.rate.hertz) Hz")
    }
    let weights = try EngineWeights.get()
    let hop = format.rate.samplesPerFrame
    let played = format.reference ?? .init(rate: format.rate, channelCount: 1)
    do {
      toReference = try FrameConverter(
        from: played.rate, played.channelCount, to: format.rate, 1)
    } catch {
      throw EngineError("the reference cannot be converted: \(error)")
    }
    highPass = HighPassStage(format, isOn: settings.highPassFilter)
    sound = Frame(rate: format.rate, channelCount: format.channelCount)
    filtered = Frame(rate: format.rate, channelCount: format.channelCount)
    self.played = Frame(rate: played.rate, channelCount: played.channelCount)
    reference = Frame(rate: format.rate, channelCount: 1)
    hasReference = format.reference != nil
    analysis = CallAnalysis(
      hop: hop, channelCount: format.channelCount, hasReference: format.reference != nil,
      weights: weights, quietRoomState: EngineWeights.quietRoomState)
    mask = Mask(bins: hop + 1, hasRecognizer: format.hasRecognizer)
    output = ProcessedOutput(settings, format, analysis.spectra)
    formerOutput = ProcessedOutput(settings, format, analysis.spectra)
    formerSound = Frame(rate: format.rate, channelCount: format.channelCount)
    isolation = VoiceIsolation(weights: try IsolationWeights.get())
    tone = ToneDetector(hop: hop)
    instruments = InstrumentDetector(weights: try InstrumentDetector.weights())
    processing = AlignedSwitch(format, latencySamples: hop, isOn: !settings.isBypassed)
    adaptsCanceller = settings.echoSuppression != nil
  }

  public static func prepare() throws(EngineError) {
    _ = try EngineWeights.get()
    _ = EngineWeights.quietRoomState
    _ = try IsolationWeights.get()
    _ = try InstrumentDetector.weights()
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
    let hop = sound.sampleCount
    // A window of two frames hears the filter: the first one that begins at the sample or later.
    highPass.apply(
      isOn: settings.highPassFilter, after: (samples + 2 * hop - 1) / hop * hop)
    // It adapts before it is heard.
    if settings.echoSuppression != nil { adaptsCanceller = true }
    processing.turn(on: !settings.isBypassed, after: samples)
    waiting.add(settings, after: samples + hop)
  }

  private var isFading: Bool { !fade.needsOnlyOn }

  /// Begins the fade to the next settings if their sample is in this frame of the output.
  private func followSettings() {
    let size = sound.sampleCount
    fade = nextFade
    if !isFading, let next = waiting.popFirst(within: size) {
      formerOutput.follow(output)
      output.apply(next.value)
      fade = CrossfadeSwitch(isOn: false)
      fade.turn(on: true, after: next.distance)
    }
    waiting.advance(by: size)
  }

  public func process(
    microphone: borrowing Frame, reference: borrowing Frame, conditions: EchoConditions,
    into output: borrowing Frame
  ) -> FrameFindings {
    // The analysis follows the settings a frame later, so that no sample before a fade depends on them.
    let cancelsEcho = self.output.cancelsEcho
    followSettings()
    follow(conditions.path)
    sound.copySound(microphone)
    highPass.process(sound, into: filtered)
    microphonePowers = (filtered.meanSquare, microphonePowers.last)
    let skipsMask = self.skipsMask
    let probability = analyze(
      reference, conditions, cancelsEcho: cancelsEcho, computesGains: !skipsMask)
    recordFarEnd()
    if !analysis.isInHole {
      record(probability: probability, cancelsEcho: cancelsEcho, skipsMask: skipsMask)
    }
    if processing.needsOnlyProcessed {
      render(cancelsEcho: cancelsEcho, skipsMask: skipsMask, into: output)
      processing.skip(sound)
    } else {
      render(cancelsEcho: cancelsEcho, skipsMask: skipsMask, into: processing.processed)
      processing.select(sound, into: output)
    }
    if cancelsEcho, !analysis.isInHole {
      echo.record(
        reference: analysis.features.referencePower, input: analysis.features.microphonePower,
        output: mask.powerAfterEcho)
    }
    return FrameFindings(
      speechProbability: decision.probability, hasVoice: decision.hasVoice,
      echoReduction: cancelsEcho ? echo.reduction : nil, nearEndProbability: decision.probability,
      residualEcho: cancelsEcho ? mask.residualEcho : nil,
      explainedShare: cancelsEcho ? analysis.spectra.estimateCoherence : nil,
      echoPresence: cancelsEcho ? analysis.spectra.estimatePresence : nil)
  }

  /// Records what the analysis has found in the frame.
  private func record(probability: Float, cancelsEcho: Bool, skipsMask: Bool) {
    onset.advance(isSilent: analysis.features.hasLongSilence)
    tone.record(
      cancelsEcho
        ? analysis.spectra.withoutEcho + sound.sampleCount
        : UnsafePointer(filtered.planePointers[0]))
    instruments.record(tone.lowBand)
    recordSound(skipsMask: skipsMask)
    // Also while the canceller is off: an old estimate would otherwise stay for ever.
    echoEstimate.record(echo: analysis.features.echoPower, residual: analysis.features.errorPower)
    let voice = probability * instruments.voiceShare
    decision.record(
      voice * isolation.probability, power: mask.powerWithoutEcho, echo: echoEstimate,
      farEndPlays: farEndPlays,
      isLikely: onset.isAfterSilence, isTone: tone.excludesVoice)
    // A voice that isolation removes can be learnt too.
    if voice > Self.sureVoice, !tone.isTone, !farEndPlays, !skipsMask {
      isolation.learn(most: Self.enrollmentFrames.upperBound)
    }
  }

  /// Records the frame for the outputs: its voices and its mask.
  private func recordSound(skipsMask: Bool) {
    guard !skipsMask else {
      isolation.pause()
      return mask.open(power: analysis.features.errorPower)
    }
    output.advanceLimits()
    if isFading { formerOutput.advanceLimits() }
    // The decision about a voice, on which gain control depends, hears of the isolation. So it begins and
    // ends after the fade.
    isolation.process(
      analysis.features.errorPowers, echo: analysis.gains.echo, voice: analysis.auxiliaryVoice,
      isolates: isFading ? formerOutput.limits.isolatesVoice : output.limits.isolatesVoice)
    mask.record(
      analysis.gains, powers: analysis.features.errorPowers, voice: analysis.auxiliaryVoice)
  }

  /// Records whether the reference plays in the frame.
  private func recordFarEnd() {
    let isAudible = analysis.features.referencePower > EchoReductionMeter.leastPower
    framesSinceReference = isAudible ? 0 : min(framesSinceReference + 1, Self.longestEcho)
  }

  /// Whether the reference plays, or played so recently that its echo may still arrive.
  private var farEndPlays: Bool { framesSinceReference < Self.longestEcho }

  /// The largest mean square to which gain control may raise a frame: that of the microphone if the
  /// frame may contain echo. The output overlaps the last two frames.
  private var powerLimit: Float? {
    let mayHaveEcho = echoEstimate.isAudible || path == .unknown && farEndPlays
    return mayHaveEcho ? max(microphonePowers.last, microphonePowers.before) : nil
  }

  /// Whether the mask is skipped, because the limits of the reduced mode let everything pass.
  private var skipsMask: Bool {
    output.skipsMask && (!isFading || formerOutput.skipsMask)
  }

  /// Follows the echo path. When the session has found the delay of the echo, it moves the
  /// reference, and the canceller adapts to the buffered last second again. Later moves of the
  /// reference follow a change of the echo's delay, after which the filter fits again.
  private func follow(_ path: EchoConditions.Path) {
    defer { self.path = path }
    switch path {
    case .new: analysis.resetEchoPath()
    case .moved(let samples) where self.path == .unknown:
      let ratio = Double(sound.rate.hertz) / Double(played.rate.hertz)
      let most = Double(sound.rate.hertz)
      analysis.followFirstMove(by: Int(min(max(Double(samples) * ratio, -most), most).rounded()))
    case .moved, .steady, .unknown: break
    }
  }

  /// Analyzes a frame. The canceller does not adapt to frames in which a signal is incomplete, and
  /// so removes the echo better afterwards. Nor does it adapt to a microphone that its own switch
  /// mutes: the filter would converge to zero.
  private func analyze(
    _ reference: borrowing Frame, _ conditions: EchoConditions, cancelsEcho: Bool,
    computesGains: Bool
  ) -> Float {
    guard hasReference, adaptsCanceller else {
      return analysis.accept(
        filtered, reference: nil, meanSquare: sound.meanSquare,
        isConcealed: conditions.isMicrophoneConcealed, cancelsEcho: false,
        computesGains: computesGains)
    }
    played.copySound(reference)
    toReference.process(played, into: self.reference)
    return analysis.accept(
      filtered, reference: self.reference.planePointers[0], meanSquare: sound.meanSquare,
      isConcealed: conditions.isMicrophoneConcealed,
      learns: !conditions.isReferenceMissing && !conditions.isMicrophoneConcealed
        && microphonePowers.last > Self.silence,
      isSearching: conditions.path == .unknown, cancelsEcho: cancelsEcho,
      computesGains: computesGains)
  }

  /// The part of the frame's power that was echo. Nil if the reference plays and the mask network
  /// does not run.
  private var echoShare: Float? {
    let isSilent = analysis.features.referencePower <= EchoReductionMeter.leastPower
    return mask.echoShare ?? (isSilent ? 0 : nil)
  }

  public func readRecognizerOutput(into output: borrowing Frame) {
    self.output.readRecognizer(analysis.spectra, into: output)
    guard isFading else { return }
    formerOutput.readRecognizer(analysis.spectra, into: formerSound)
    var fade = fade
    fade.select(on: output, off: formerSound, into: output)
  }

  /// Makes the output of the frame, and during a fade the former one before it.
  private func render(
    cancelsEcho: Bool, skipsMask: Bool, into output: borrowing Frame
  ) {
    let findings = ProcessedOutput.Findings(
      cancelsEcho: cancelsEcho, skipsMask: skipsMask,
      minimumNoiseGain: tone.isTone ? 1 : onset.minimumGain,
      probability: tone.isTone || analysis.isInHole ? 0 : decision.probabilityOfFrame,
      echoShare: echoShare,
      powerLimit: powerLimit)
    if isFading {
      formerOutput.render(
        findings, analysis, &mask, competingVoices: isolation.gains, keepsSpectra: true,
        into: formerSound)
    }
    self.output.render(
      findings, analysis, &mask, competingVoices: isolation.gains, keepsSpectra: false,
      into: output)
    nextFade = fade
    if isFading { nextFade.select(on: output, off: formerSound, into: output) }
  }

  public static let encoder = "anechoic-1"
  public static let voiceprintLength = VoiceEncoder.count
  public static let enrollmentFrames = 200...500

  public func isolate(_ voiceprint: [Float]?) { isolation.isolate(voiceprint) }

  public func beginEnrollment() { isolation.beginEnrollment() }

  public func endEnrollment() { isolation.endEnrollment() }

  public var enrollment: EnrollmentProgress? { isolation.progress }

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
      echoReturnLoss: echo.returnLoss, echoReturnLossEnhancement: echo.reduction)
  }
}
