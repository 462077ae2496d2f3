internal import AudioCodecs
public import AudioCore
public import VoiceEngines

/// The engine of this project: a linear echo canceller whose adaptation is learned, and one network
/// that tells the near voice from echo, noise and rivals. All of it works on the same spectra, of
/// 20 ms every 10 ms.
public final class AnechoicVoiceEngine: VoiceEngine {
  public static let identity = EngineIdentity(
    name: "anechoic", version: "1.16", weights: EngineWeights.hash)
  public static let processingRates: [SampleRate] = [.hz8000, .hz16000, .hz32000, .hz48000]
  public static let bestReferenceLead = Duration.milliseconds(20)
  /// The filter is long enough for a lead of 90 ms. The lag that is found may be that of a reflection, and the
  /// direct sound may come 30 ms before it: a move would leave the direct sound without a lead.
  public static let goodReferenceLeads = Duration.milliseconds(4) ... .milliseconds(90)

  /// The reduced mode leaves out the half of the network that computes gains. Noise and the echo
  /// that the canceller leaves are not suppressed.
  public static let hasReducedMode = true

  /// The frames after the reference in which its echo may come while its delay is not known.
  private static let longestEcho = 115
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
  private var limits: MaskLimits
  private var decision = VoiceDecision()
  private var beginning = Beginning()
  private var tone: SteadyTone
  private var level = LevelControl()
  private var explained = ExplainedEcho()
  private var echo = EchoReductionMeter()
  /// The mean squares of the last two frames of the microphone.
  private var heardSquares: (last: Float, before: Float) = (0, 0)
  private var framesSinceReference = AnechoicVoiceEngine.longestEcho
  private var processing: AlignedSwitch
  private var settings: EngineSettings
  private var path = EchoConditions.Path.unknown
  /// Whether the canceller has been on. It then goes on learning while it is off.
  private var learnsEcho: Bool

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
      weights: weights, quietRoom: EngineWeights.quietRoom)
    mask = Mask(bins: hop + 1)
    limits = MaskLimits(settings)
    tone = SteadyTone(hop: hop)
    processing = AlignedSwitch(format, latencySamples: hop, isOn: !settings.isBypassed)
    self.settings = settings
    learnsEcho = settings.echoSuppression != nil
  }

  public static func prepare() throws(EngineError) {
    _ = try EngineWeights.get()
    _ = EngineWeights.quietRoom
  }

  public static func supports(_ settings: EngineSettings, _ format: EngineFormat) -> Bool { true }

  /// The windows overlap by 10 ms.
  public static func latencySamples(_ format: EngineFormat) -> Int { format.rate.samplesPerFrame }

  public static func makeSpeechDetector(
    rate: SampleRate
  ) throws(EngineError) -> any SpeechDetector {
    try AnechoicSpeechDetector(rate: rate)
  }

  public func apply(_ settings: EngineSettings) {
    self.settings = settings
    highPass.apply(isOn: settings.highPassFilter)
    limits.apply(settings)
    if settings.echoSuppression != nil { learnsEcho = true }
    processing.turn(on: !settings.isBypassed, hasRun: true)
  }

  public func process(
    microphone: borrowing Frame, reference: borrowing Frame, conditions: EchoConditions,
    into output: borrowing Frame
  ) -> FrameFindings {
    follow(conditions.path)
    sound.copySound(microphone)
    highPass.process(sound, into: filtered)
    heardSquares = (filtered.meanSquare, heardSquares.last)
    let cancelsEcho = hasReference && settings.echoSuppression != nil
    let probability = analyze(reference, conditions, cancelsEcho: cancelsEcho)
    beginning.advance(isSilent: analysis.features.hasLongSilence)
    tone.note(
      cancelsEcho
        ? analysis.spectra.withoutEcho + sound.sampleCount
        : UnsafePointer(filtered.planePointers[0]))
    if rests {
      mask.open(power: analysis.features.errorPower)
    } else {
      limits.advance()
      mask.compute(
        analysis.gains, voice: analysis.possibleVoice, limits.values,
        error: analysis.features.errorPowers,
        leastOfNoise: tone.isTone ? 1 : beginning.leastGain)
    }
    noteEcho()
    decision.note(
      probability, power: mask.powerWithoutEcho, echo: explained, farEndPlays: farEndPlays,
      isLikely: beginning.isAfterSilence, isTone: tone.isNoVoice)
    if cancelsEcho {
      echo.note(
        reference: analysis.features.referencePower, input: analysis.features.microphonePower,
        output: mask.powerAfterEcho)
    }
    if processing.needsOnlyProcessed {
      finish(into: output)
      processing.skip(sound)
    } else {
      finish(into: processing.processed)
      processing.select(sound, into: output)
    }
    return FrameFindings(
      speechProbability: decision.probability, hasVoice: decision.hasVoice,
      echoReduction: cancelsEcho ? echo.reduction : nil, nearEndProbability: decision.probability,
      residualEcho: cancelsEcho ? mask.residualEcho : nil,
      explainedShare: cancelsEcho ? analysis.spectra.explainedShare : nil)
  }

  /// Takes the echo of the frame, also where there is none: an echo that was heard once would otherwise
  /// be heard for ever after the canceller is switched off.
  private func noteEcho() {
    explained.note(echo: analysis.features.echoPower, rest: analysis.features.errorPower)
    let isAudible = analysis.features.referencePower > EchoReductionMeter.leastPower
    framesSinceReference = isAudible ? 0 : min(framesSinceReference + 1, Self.longestEcho)
  }

  /// Whether the reference plays, or played so shortly before that its echo may still be heard.
  private var farEndPlays: Bool { framesSinceReference < Self.longestEcho }

  /// The mean square that gain control may raise a frame to: that of the microphone, where the frame may
  /// have an echo. The output overlaps the last two frames.
  private var mostSquare: Float? {
    let mayHaveEcho = explained.isHeard || path == .unknown && farEndPlays
    return mayHaveEcho ? max(heardSquares.last, heardSquares.before) : nil
  }

  /// Whether no gains are needed, because the limits of the reduced mode let everything pass.
  private var rests: Bool { settings.isReduced && limits.isOpen }

  /// Follows the echo path. When the session has found the delay of the echo, it moves the reference, and
  /// the canceller learns from the last second again. In later moves the reference follows an echo that
  /// has moved itself, and the canceller fits again.
  private func follow(_ path: EchoConditions.Path) {
    defer { self.path = path }
    switch path {
    case .new: analysis.forgetEchoPath()
    case .moved(let samples) where self.path == .unknown:
      let ratio = Double(sound.rate.hertz) / Double(played.rate.hertz)
      let most = Double(sound.rate.hertz)
      analysis.followFirstMove(by: Int(min(max(Double(samples) * ratio, -most), most).rounded()))
    case .moved, .steady, .unknown: break
    }
  }

  /// The canceller does not learn from frames in which a signal is incomplete, because it removes
  /// the echo better afterwards. It also does not learn from a microphone that gives digital
  /// silence, for example because its own switch mutes it: the canceller would learn that there is
  /// no echo.
  private func analyze(
    _ reference: borrowing Frame, _ conditions: EchoConditions, cancelsEcho: Bool
  ) -> Float {
    guard hasReference, learnsEcho else {
      return analysis.take(filtered, reference: nil, cancelsEcho: false, findsGains: !rests)
    }
    played.copySound(reference)
    toReference.process(played, into: self.reference)
    return analysis.take(
      filtered, reference: self.reference.planePointers[0],
      learns: !conditions.isReferenceMissing && !conditions.isMicrophoneConcealed
        && heardSquares.last > Self.silence,
      isSearching: conditions.path == .unknown, cancelsEcho: cancelsEcho, findsGains: !rests)
  }

  /// The part of the frame's power that was echo. Nil if the reference plays and the network does not
  /// look for its echo.
  private var echoShare: Float? {
    let isSilent = analysis.features.referencePower <= EchoReductionMeter.leastPower
    return mask.echoShare ?? (isSilent ? 0 : nil)
  }

  private func finish(into output: borrowing Frame) {
    analysis.spectra.finish(gains: mask.gains, into: output)
    level.process(
      output, probability: tone.isTone ? 0 : decision.probabilityOfFrame, echoShare: echoShare,
      mostSquare: mostSquare, target: settings.gainTarget)
  }

  public var echoMetrics: EchoMetrics {
    EchoMetrics(
      echoReturnLoss: echo.returnLoss, echoReturnLossEnhancement: echo.reduction)
  }
}
