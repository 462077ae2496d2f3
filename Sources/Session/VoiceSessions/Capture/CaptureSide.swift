internal import AudioCore
internal import EchoAlignment
internal import VoiceEngines

/// The capture side of a session: from the microphone's samples to the processed output, with what
/// is found in them.
struct CaptureSide: ~Copyable {
  /// A voice that has been active for this many frames when the echo is lost still counts as a voice.
  private static let surelyVoice: Int64 = 50
  /// The time that a frame of the microphone waits for its reference, in frames of the microphone that
  /// arrived after it.
  static let longestWaitFrames = 6

  /// The changes of a frame that the session announces.
  struct News {
    /// Whether the echo was found, was found elsewhere, or began to be removed.
    var hasEchoPath = false
    var voice: VoiceActivityDetector.Change?
    var mutedSpeech: MutedTalkerDetector.Change?
    var turn: TurnDecisions.Event?
    var warnings = CaptureWarnings.Changes()
  }

  /// The state of the rest of the session that a frame needs.
  struct Context {
    var configuration: SessionConfiguration.Mute
    var isMuted: Bool
    /// Whether the microphone is known to be silent: interrupted, or with a gap that goes on.
    var isInterrupted: Bool
    var farEndPlays: Bool
    /// Whether the far end is heard in this frame, or nil without a far end.
    var farEndIsAudible: Bool?
  }

  /// Whether samples of the microphone arrive.
  var isRunning = false
  /// The findings of the last processed frame.
  private(set) var info = FrameInfo(speechProbability: 0, hasVoice: false, isMuted: false)
  private(set) var processedFrames: Int64 = 0
  /// Whether the session began with the echo path of its setup.
  let usesEchoPathHint: Bool
  private var microphone: CapturedMicrophone
  private var pipeline: CapturePipeline
  private var outputs: CaptureOutputs
  /// The sample at which the outputs were unmuted last. Nil while they are muted.
  private var unmutedAt: Int64?
  private var echo: EchoReference
  private var removal: EchoRemoval
  private var nearEnd: VoiceActivityDetector
  private var mutedTalker = MutedTalkerDetector()
  /// Nil while turns are not detected.
  private var turns: TurnDetector?
  private var meter = SessionMeter()
  private var oppositeChannels = OppositeChannelsDetector()
  private var warnings = CaptureWarnings()

  init(_ setup: SessionSetup, _ engine: any VoiceEngine.Type) throws {
    let pipeline = try CapturePipeline(setup, engine)
    let outputs = try CaptureOutputs(setup, pipeline)
    echo = try EchoReference(setup, pipeline, engine)
    removal = EchoRemoval(heard: HeardReduction(delay: outputs.latencies.processed))
    self.outputs = outputs
    // At most the last chunk, the gap before it and `longestWaitFrames` wait.
    microphone = CapturedMicrophone(setup, heldBack: pipeline.delays.heldBack)
    nearEnd = VoiceActivityDetector(setup.configuration.voiceActivity)
    usesEchoPathHint = pipeline.begin(with: setup.echoPathHint)
    self.pipeline = pipeline
    if usesEchoPathHint, let path = setup.echoPathHint { echo.begin(with: path) }
    setTurns(setup.configuration.turns)
  }

  var engine: any VoiceEngine { pipeline.engine }
  /// The time from the microphone to each output. Nil for an output that the session does not have.
  var latencies: (processed: Duration, recognizer: Duration?, raw: Duration?) { outputs.latencies }
  /// The mic mode that runs, and the reason where it is not the preferred one.
  var micMode: (mode: MicMode, reason: MicMode.Fallback?) { pipeline.micMode }
  /// The last frame of the processed output.
  var processed: Frame { _read { yield outputs.processed } }
  var samplesPerFrame: Int { microphone.frame.sampleCount }
  /// The samples of the microphone that arrived, gaps included.
  var arrived: Int64 { microphone.arrived }
  /// The client's index of the microphone's next sample.
  var expectedIndex: Int64 { microphone.expectedIndex }
  /// The samples of the microphone that wait.
  var waiting: Int { microphone.waiting }
  var nearEndTalks: Bool { nearEnd.isActive }
  /// Where in the microphone's timeline the near end's present speech began.
  var speechOnset: Int64 { sample(ofFrame: nearEnd.onsetFrame) }
  var hasConverged: Bool { removal.convergence.isConverged }
  /// The delay of the echo behind its reference, or nil where it is unknown.
  var echoDelay: Duration? { echo.status.echoDelay }

  // MARK: Input

  /// Appends samples of the microphone. `deviceTime` is the time at which the device captured the
  /// first of them.
  ///
  /// - Returns: How many samples were missing before them, and the place of the first one.
  mutating func appendMicrophone(
    _ samples: InputSamples, firstSample: Int64?, deviceTime: Duration?
  ) throws(InputError) -> (missing: Int64, first: Int64) {
    let expected = microphone.arrived
    let (missing, first) = try microphone.append(samples, firstSample: firstSample)
    if missing > 0 { staysMutedWhileConcealed() }
    echo.microphoneWentOn(afterGap: missing, isOver: !samples.isEmpty)
    if let deviceTime, microphone.arrived > expected {
      echo.recordCapture(sample: first, at: deviceTime)
    }
    return (missing, first)
  }

  /// Appends samples of the reference. `deviceTime` is the time at which the device played the first
  /// of them, by the clock of the microphone's device times.
  ///
  /// - Returns: How many samples were missing before them.
  mutating func appendReference(
    _ samples: InputSamples, firstSample: Int64?, deviceTime: Duration?
  ) throws(InputError) -> Int64 {
    try echo.append(
      samples, firstSample: firstSample, microphone: (microphone.arrived, microphone.waiting),
      deviceTime: deviceTime)
  }

  /// Keeps only the newest samples of the reference until the microphone goes on.
  mutating func restReference() { echo.rest() }

  /// Records when a sample of the playback was heard, how many samples later than expected, and by
  /// how many parts per million faster than its clock the client plays on.
  mutating func recordPlayback(sample: Int64, at time: Duration, added: Int64, rate: Double) {
    echo.recordPlayback(sample: sample, at: time, added: added, rate: rate)
  }

  /// Records that no more of the reference will arrive.
  mutating func endReference() { echo.isAtEnd = true }

  /// Whether a frame of the microphone is complete, and its reference has arrived, is not needed, or
  /// has been waited for long enough. Mutating for the reason of `hasResidualEcho`.
  var hasCompleteFrame: Bool {
    mutating get {
      microphone.hasFrame && (echo.isHere || pipeline.restsEcho || hasWaitedEnough)
    }
  }

  private var hasWaitedEnough: Bool { microphone.hasWaited(frames: Self.longestWaitFrames) }

  // MARK: Controls

  /// Applies a configuration from the sample on that comes after `samples` of the next frame.
  mutating func apply(_ configuration: SessionConfiguration, after samples: Int) {
    pipeline.apply(configuration, after: samples)
    outputs.apply(
      configuration, after: samples,
      engineSamples: pipeline.engineOutputSamples(until: samples))
    nearEnd.set(configuration.voiceActivity)
    setTurns(configuration.turns)
  }

  private mutating func setTurns(_ configuration: SessionConfiguration.Turns) {
    guard configuration.isEnabled else { return turns = nil }
    if turns == nil {
      turns = TurnDetector(configuration, rate: pipeline.format.rate, frame: processedFrames)
    } else {
      turns?.set(configuration)
    }
  }

  /// Switches the reduced mode of the engine. Returns whether that changes anything.
  mutating func reduce(_ isReduced: Bool, _ configuration: SessionConfiguration) -> Bool {
    pipeline.reduce(isReduced, configuration)
  }

  /// Whether the engine runs in its reduced mode.
  var isReduced: Bool { pipeline.isReduced }

  /// Applies a changed route. A new acoustic path restarts the delay search, and the engine's filter:
  /// measured, an empty filter removes more of the first second of the new echo than the old one. Headphones
  /// suspend echo cancellation.
  mutating func changeRoute(
    isNewWay: Bool, isFreeOfEcho: Bool, _ configuration: SessionConfiguration
  ) {
    if isNewWay {
      echo.reset()
      removal.convergence.restart()
    }
    pipeline.restEcho(isFreeOfEcho, configuration)
  }

  /// Uses the two microphones in another way from the next frame on. Does nothing for one microphone.
  mutating func use(_ layout: MicrophonePair.Layout?) { microphone.use(layout) }

  /// Mutes or unmutes all outputs from a sample of the microphone on.
  ///
  /// - Returns: Whether muted speech was active.
  mutating func mute(_ isMuted: Bool, at sample: Int64) -> Bool {
    unmutedAt = isMuted ? nil : microphone.capturedSample(from: sample)
    outputs.mute(isMuted, at: unmutedAt ?? sample)
    guard isMuted else { return mutedTalker.reset() }
    mutedTalker.mute(at: sample)
    return false
  }

  /// Keeps the outputs muted in a concealed span that has just been found at the place of an unmute: it
  /// goes on from the sound before it.
  private mutating func staysMutedWhileConcealed() {
    guard let unmutedAt else { return }
    let captured = microphone.capturedSample(from: unmutedAt)
    guard captured > unmutedAt else { return }
    outputs.unmuteLater(at: captured)
    self.unmutedAt = captured
  }

  /// Ends the voice of the near end.
  mutating func endVoice() -> VoiceActivityDetector.Change? { nearEnd.end() }

  /// Ends muted speech.
  ///
  /// - Returns: Whether muted speech was active.
  mutating func endMutedSpeech() -> Bool { mutedTalker.reset() }

  // MARK: Frames

  /// Takes the next frame of the microphone.
  /// Runs per frame: no allocation, lock, log or await.
  mutating func readFrame() {
    microphone.readFrame()
  }

  /// Makes the outputs of the frame that was taken. `mix` is the playback of the same time.
  /// Runs per frame: no allocation, lock, log or await.
  mutating func process(
    mix: borrowing Frame, _ injections: borrowing InjectionQueue, _ context: Context
  ) -> News {
    var news = News()
    pipeline.load(microphone.directed)
    let (conditions, lacksReference) = align(mix, &news)
    var findings = pipeline.process(reference: echo.aligned, conditions, into: outputs.processed)
    // There was no echo to remove.
    if conditions.isMicrophoneMuted { echo.aligned.clear() }
    removal.explainedShare = findings.explainedShare ?? 0
    if pipeline.restsEcho {
      removal.residualEcho.reset()
      removal.mayHearEcho = false
    } else {
      followEcho(&findings, &news)
    }
    listen(findings, context, &news)
    news.turn = findTurn(findings, context)
    let isMuted = outputs.complete(
      captured: microphone.frame, directed: microphone.directed, input: pipeline.input, injections)
    processedFrames += 1
    watch(
      findings, lacksReference: lacksReference, isConcealed: conditions.isMicrophoneConcealed,
      context, &news)
    info = FrameInfo(
      speechProbability: findings.speechProbability, hasVoice: findings.hasVoice, isMuted: isMuted)
    if echo.exists { hear(isInjecting: injections.isHeardByFarEnd) }
    return news
  }

  /// Brings the reference that belongs to the frame.
  ///
  /// - Returns: The conditions for the engine, and whether the echo canceller needs a
  ///   reference that has not arrived.
  private mutating func align(
    _ mix: borrowing Frame, _ news: inout News
  ) -> (conditions: EchoConditions, lacksReference: Bool) {
    let wasKnown = echo.status.echoDelay != nil
    let (change, isMissing) = echo.advance(
      microphone: pipeline.input, mix: mix, explainedShare: removal.explainedShare)
    let conditions = EchoConditions(
      path: echo.path, isReferenceMissing: isMissing,
      isMicrophoneConcealed: microphone.isNextFrameConcealed(),
      isMicrophoneMuted: echo.isMicrophoneMuted, mayHearEcho: removal.mayHearEcho)
    // Without an echo, neither its path nor its reference matters.
    guard !pipeline.restsEcho else { return (conditions, false) }
    let isNew = change == .moved || !wasKnown && echo.status.echoDelay != nil
    // A step that the client reported leaves the canceller nothing to learn.
    if isNew {
      removal.convergence.restart()
    } else if change == .followed {
      removal.convergence.step()
    }
    news.hasEchoPath = isNew || change == .followed
    if isMissing { meter.referenceMissed() }
    return (conditions, isMissing)
  }

  /// Follows the convergence of the echo canceller. Until it has converged, a frame that may contain
  /// echo does not count as voice.
  private mutating func followEcho(_ findings: inout FrameFindings, _ news: inout News) {
    let mayHaveEcho = echo.mayBeHeard
    let hasJustConverged = removal.convergence.process(
      EchoConvergence.Observation(
        reduction: findings.echoReduction, mayHaveEcho: mayHaveEcho,
        isLagKnown: echo.status.echoDelay != nil, microphone: pipeline.input.meanSquare,
        presence: findings.echoPresence))
    // A bypassed output has its echo.
    if pipeline.isBypassed {
      removal.residualEcho.reset()
    } else {
      removal.residualEcho.process(
        reference: echo.newestMeanSquare, microphone: pipeline.input.meanSquare,
        output: outputs.processed.meanSquare)
    }
    if hasJustConverged, echo.status.echoDelay != nil { news.hasEchoPath = true }
    let mayBeEcho =
      removal.convergence.isLearning || removal.convergence.isStepping && !nearEnd.isActive
      || (removal.convergence.isLost || warnings.hasResidualEcho)
        && !hasTalkedFor(Self.surelyVoice)
    removal.mayHearEcho = mayHaveEcho && mayBeEcho
    if removal.mayHearEcho { findings.hasVoice = false }
  }

  /// Whether the near end's voice has been active for this number of frames.
  private func hasTalkedFor(_ frames: Int64) -> Bool {
    nearEnd.isActive && processedFrames - nearEnd.onsetFrame > frames
  }

  /// Follows the voice of the near end, muted or not.
  private mutating func listen(_ findings: FrameFindings, _ context: Context, _ news: inout News) {
    news.voice = nearEnd.process(hasVoice: findings.hasVoice)
    guard context.isMuted, context.configuration.detectsMutedTalker else { return }
    news.mutedSpeech = mutedTalker.process(
      MutedTalkerDetector.Observation(
        speechSince: nearEnd.isActive ? speechOnset : nil, hasVoice: findings.hasVoice,
        mayHaveEcho: !pipeline.restsEcho && echo.mayBeHeard))
  }

  /// Follows the turns of the near end, muted or not.
  private mutating func findTurn(
    _ findings: FrameFindings, _ context: Context
  ) -> TurnDecisions.Event? {
    guard turns != nil else { return nil }
    let observation = TurnObservation(
      speechProbability: findings.speechProbability, hasVoice: findings.hasVoice,
      mayHearEcho: removal.mayHearEcho,
      explainedShare: removal.explainedShare, microphoneMeanSquare: pipeline.input.meanSquare,
      referenceMeanSquare: echo.newestMeanSquare,
      farEndIsAudible: context.farEndIsAudible ?? (echo.newestMeanSquare > TurnDetector.audible))
    // Before injected speech is added, and before mute.
    guard pipeline.writesOutput else { return turns?.process(pipeline.engineOutput, observation) }
    return turns?.process(outputs.processed, observation)
  }

  /// Measures how much of the echo is heard. Injected speech in the output is no echo.
  private mutating func hear(isInjecting: Bool) {
    removal.heard.process(
      HeardReduction.Observation(
        microphone: meter.microphoneMeanSquare, reference: echo.newestMeanSquare,
        output: meter.processedMeanSquare, hasVoice: info.hasVoice,
        isMuted: info.isMuted || isInjecting,
        isAtRest: pipeline.restsEcho))
  }

  private mutating func watch(
    _ findings: FrameFindings, lacksReference: Bool, isConcealed: Bool, _ context: Context,
    _ news: inout News
  ) {
    meter.measure(microphone: microphone.frame, processed: outputs.processed, findings)
    let needsEcho = !pipeline.restsEcho
    let observation = CaptureWarnings.Observation(
      meanSquare: meter.microphoneMeanSquare, peak: microphone.frame.peak,
      noiseFloor: meter.noiseFloorLevel, isInterrupted: context.isInterrupted,
      isConcealed: isConcealed,
      playsWithoutReference: lacksReference
        || !echo.exists && context.farEndPlays && needsEcho,
      hasUnsteadyClocks: needsEcho && echo.status.hasUnsteadyClocks,
      hasResidualEcho: hasResidualEcho(findings),
      hasOppositeChannels: oppositeChannels.process(microphone.frame),
      referenceHasMicrophone: needsEcho && echo.status.hasMicrophoneInReference,
      referenceHasGaps: needsEcho && echo.hasGaps)
    warnings.process(observation) { news.warnings.add($0) }
  }

  /// Returns whether echo stays in the output, or nil while nothing plays that would show it. Mutating,
  /// because the compiler copies the whole structure for a call in a frame that borrows it.
  private mutating func hasResidualEcho(_ findings: FrameFindings) -> Bool? {
    guard !pipeline.restsEcho, !pipeline.isBypassed else { return false }
    guard removal.residualEcho.isKnown else { return nil }
    guard removal.residualEcho.isEchoLeft(referenceHasGaps: echo.hasGaps) else { return false }
    return echo.hasGaps || removal.residualEcho.isEchoLoud
      || !removal.convergence.isEnough(findings.echoReduction)
  }

  /// Adds a share of the frame of each output, which is less than 1 for the last frame.
  /// Runs per frame: no allocation, lock, log or await.
  mutating func addOutputs(share: Double, to chunks: inout OutputChunker) {
    outputs.add(share: share, to: &chunks)
  }

  // MARK: Findings

  /// The sample of the microphone that a finding in a frame belongs to.
  func sample(ofFrame frame: Int64) -> Int64 {
    max(0, frame * Int64(samplesPerFrame) - pipeline.delays.findingsSamples)
  }

  /// The echo path that the canceller has learnt, or nil if it has not converged. Allocates.
  var echoPath: EchoPath? {
    guard hasConverged, let (lag, held) = echo.heldLag, EchoPath.times.contains(.seconds(lag)),
      EchoPath.times.contains(.seconds(held))
    else { return nil }
    return pipeline.echoPath(lag: .seconds(lag), held: .seconds(held))
  }

  /// The end of the present turn if its detection ends now, or nil without a turn.
  var turnCutOff: TurnDecisions.Event? {
    mutating get { turns?.cutOff }
  }

  /// Ends the present turn. Returns its end, or nil without one.
  mutating func endCutOffTurn() -> TurnDecisions.Event? { turns?.endCutOff() }

  /// Copies the features of turns in the last frame, and returns its scores, or nil while turns are not
  /// detected.
  mutating func copyTurnFeatures(to features: UnsafeMutablePointer<Float>) -> TurnScores? {
    turns?.copyFeatures(to: features)
  }

  /// The counts that grow with each frame, without concealed samples.
  var flow: SessionStatistics.Flow { meter.flow }

  /// The part of the statistics that belongs to this side.
  var statistics: SessionStatistics {
    var statistics = meter.statistics(pipeline.echoMetrics, pipeline.micMode.mode)
    statistics.isReduced = pipeline.isReduced
    // The canceller may go on learning while its output is not heard.
    statistics.hasConverged = hasConverged && pipeline.removesEcho
    if !pipeline.removesEcho { statistics.residualEcho = nil }
    statistics.echoDelay = pipeline.restsEcho ? nil : echo.status.echoDelay
    // A slower loudspeaker lets the echo come later and later.
    statistics.driftPPM = echo.status.drift.map { -$0 }
    guard echo.exists else { return statistics }
    statistics.levels.reference = Decibels.level(meanSquare: echo.newestMeanSquare)
    statistics.heard = .init(
      isReferenceActive: removal.heard.isReferenceActive, reduction: removal.heard.recent,
      reductionOfSession: removal.heard.ofSession)
    return statistics
  }
}

/// How well the canceller removes the echo, by what is heard of it.
private struct EchoRemoval {
  var convergence = EchoConvergence()
  /// The part of the last frames of the microphone that the canceller predicts.
  var explainedShare: Float = 0
  /// Whether what was left of the last frame may be echo.
  var mayHearEcho = false
  var residualEcho = ResidualEchoDetector()
  var heard: HeardReduction
}
