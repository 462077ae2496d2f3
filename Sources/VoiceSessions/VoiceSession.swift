internal import Alignment
internal import AudioCore
public import VoiceEngines

/// One session: audio and controls in, audio and events out.
///
/// It does no I/O and reads no clock: time is the index of the microphone's samples. It belongs to
/// one thread. What comes of a call goes to the sink that the call is given.
public final class VoiceSession {
  /// How long a frame of the microphone waits for its reference, in frames of the microphone that
  /// came after it.
  static let longestWaitFrames = 6

  /// What can be read of it at any time.
  public internal(set) var state: SessionState
  /// Microphone in to processed out, for the whole session.
  public let algorithmicDelay: Duration
  let setup: SessionSetup
  let capture: CapturePipeline
  let playback: PlaybackPipeline
  let echo: EchoReference
  let injections: InjectionQueue
  let chunker: OutputChunker
  var microphone: InputTimeline
  let microphoneFrame: Frame
  let outputFrame: Frame
  var settled: Int64 = 0  // the microphone's samples that came before the last chunk
  var processedFrames: Int64 = 0
  var microphoneComes = false
  var route = RouteHistory()
  var interruptions = Interruptions()
  var schedule = ControlSchedule()
  var budget = ControlBudget.controls
  var reportBudget = ControlBudget.deviceReports
  var gestures = MuteGestures()
  var gate: MuteGate
  var limiter: Limiter
  var nearEnd: VoiceActivityDetector
  var mutedTalker = MutedTalkerDetector()
  var warnings = CaptureWarnings()
  var gaps = OpenGaps()
  var meter = SessionMeter()
  var convergence = EchoConvergence()

  /// Throws an `EngineError` or a `FrameResampler.Failure` for what cannot be processed.
  public init(_ setup: SessionSetup, engine: any VoiceEngine.Type) throws {
    self.setup = setup
    capture = try CapturePipeline(setup, engine)
    playback = try PlaybackPipeline(setup, engine)
    echo = try EchoReference(setup, capture, engine)
    algorithmicDelay = capture.latency
    state = SessionState(
      configuration: setup.configuration,
      mute: MuteState(isMuted: setup.startsMuted, origin: setup.owner),
      activeMicMode: capture.micMode.mode,
      injectionPermissions: InjectionPermissions(isServiceEnabled: setup.allowsInjection))
    chunker = OutputChunker(
      processed: setup.processed, playback: setup.playback, framesPerChunk: setup.framesPerChunk)
    injections = InjectionQueue(
      processed: setup.processed.rate, playback: setup.playback?.rate,
      longestPause: setup.isRealTime ? Injection.longestPauseFrames : nil)
    // What waits of it is at most the last chunk, the gap before it, and `longestWaitFrames`.
    microphone = InputTimeline(format: setup.microphone, longestLead: nil)
    microphoneFrame = Frame(
      rate: setup.microphone.rate, channelCount: setup.microphone.channelCount)
    outputFrame = Frame(rate: setup.processed.rate, channelCount: setup.processed.channelCount)
    gate = MuteGate(
      isOpen: !setup.startsMuted, latencySamples: capture.latencySamples, rate: setup.processed.rate
    )
    limiter = Limiter(rate: setup.processed.rate)
    nearEnd = VoiceActivityDetector(setup.configuration.voiceActivity)
  }

  /// The sample of the microphone that is processed next.
  public var position: Int64 { microphone.taken }

  /// How much of the microphone has come.
  public var microphoneDuration: Duration {
    setup.microphone.rate.duration(ofSamples: Int(microphone.arrived))
  }

  /// Takes in samples of an input. Those of one instant belong together: append the microphone
  /// last, then call `process`. No samples before a `firstSample` are a gap up to there that goes on.
  /// `deviceTime` is when the device captured or played the first of
  /// them, by a clock that is the same for both.
  public func append(
    _ samples: UnsafeRawBufferPointer, to input: InputKind, firstSample: Int64?,
    deviceTime: Duration? = nil, gap: GapReason, sink: any SessionSink
  ) throws(InputFault) {
    let missing: Int64
    switch input {
    case .microphone:
      let first = firstSample ?? microphone.arrived
      settled = microphone.arrived
      missing = try microphone.append(samples, firstSample: firstSample)
      if let deviceTime { echo.noteCapture(sample: first, at: deviceTime) }
    case .reference:
      let first = firstSample ?? echo.timeline.arrived
      missing = try echo.timeline.append(samples, firstSample: firstSample)
      if let deviceTime { echo.notePlayback(sample: first, at: deviceTime) }
    case .farEnd:
      missing = try playback.farEnd?.timeline.append(samples, firstSample: firstSample) ?? 0
    case .otherAudio:
      missing = try playback.otherAudio?.timeline.append(samples, firstSample: firstSample) ?? 0
    }
    if missing > 0 {
      meter.concealed(missing)
      gaps.add(missing, gap, to: input)
    }
    // Without samples, the gap goes on.
    if !samples.isEmpty { tellGap(of: input, sink: sink) }
  }

  private func tellGap(of input: InputKind, sink: any SessionSink) {
    guard let gap = gaps.close(input) else { return }
    emit(.discontinuity(input, gap.reason, missingSamples: gap.missingSamples), to: sink)
  }

  /// Takes in when the client's device played a sample of the playback, how many samples of silence it
  /// put in before or left out, and by how many parts per million faster than by the device's clock the
  /// client plays from it on. Of use where the playback is the reference.
  public func playbackWasHeard(
    firstSample: Int64, at deviceTime: Duration, silence: UInt32 = 0, skipped: UInt32 = 0,
    rate: Double = 0
  ) throws(InputFault) {
    let sent = (processedFrames - chunker.waitingFrames) * Int64(playback.mix.sampleCount)
    guard (0..<sent).contains(firstSample) else {
      throw .unsent(firstSample, sent: sent)
    }
    guard abs(rate) <= InputFault.largestRate else { throw .impossibleRate(rate) }
    guard setup.reference == nil else { return }
    echo.notePlayback(
      sample: firstSample, at: deviceTime, added: Int64(silence) - Int64(skipped), rate: rate)
  }

  /// Processes the frames that are complete, `limit` of them at most.
  /// Runs per frame: no allocation, lock, log or await.
  public func process(atMost limit: Int = .max, sink: any SessionSink) {
    var left = limit
    while left > 0, hasCompleteFrame {
      processFrame(share: 1, sink: sink)
      left -= 1
    }
  }

  /// Whether a frame of the microphone is there, with its reference, or long enough without it, or
  /// in no need of one.
  public var hasCompleteFrame: Bool {
    microphone.hasFrame && (echo.isHere || capture.restsEcho || hasWaitedEnough)
  }

  /// Processes what is left, so that as much has gone out as came in, and ends the session.
  public func finish(_ reason: SessionEvent.EndReason, sink: any SessionSink) {
    process(sink: sink)
    echo.isAtEnd = true
    while microphone.waiting > 0 {
      let share = Double(microphone.waiting) / Double(microphoneFrame.sampleCount)
      processFrame(share: min(share, 1), sink: sink)
    }
    chunker.flush(to: sink)
    end(reason, sink: sink)
  }

  /// Ends the session with what has been processed so far.
  public func end(_ reason: SessionEvent.EndReason, sink: any SessionSink) {
    for control in schedule.takeAll() {
      let refusal = Refusal(
        .tooLate, reason: "SESSION_ENDED", message: "the session ended before the sample came")
      sink.emit(ControlResult(id: control.id, appliedAtSample: position, refusal: refusal))
    }
    endInjections(sink: sink)
    for input in InputKind.allCases { tellGap(of: input, sink: sink) }
    emit(.ended(reason), to: sink)
  }

  /// What the pipeline measures of itself.
  public var statistics: SessionStatistics {
    var statistics = meter.statistics(capture.engine.echoMetrics, state.activeMicMode)
    statistics.hasConverged = convergence.isConverged
    statistics.echoDelay = capture.restsEcho ? nil : echo.status.echoDelay
    // A loudspeaker that is the slower lets the echo come later and later.
    statistics.driftPPM = echo.status.drift.map { -$0 }
    statistics.duckingGain = playback.duckingGain
    return statistics
  }

  /// No audio of the microphone comes any more, until it does again.
  public func microphoneStopped(sink: any SessionSink) {
    microphoneComes = false
    updateInjectionAvailability(sink: sink)
  }

  /// Says that the server is about to stop.
  public func announceEnd(in time: Duration, sink: any SessionSink) {
    emit(.draining(endsIn: time), to: sink)
  }

  /// `sample` is where it happened, where that is not where the session is.
  func emit(_ kind: SessionEvent.Kind, at sample: Int64? = nil, to sink: any SessionSink) {
    state.lastEventID += 1
    sink.emit(
      SessionEvent(id: state.lastEventID, microphoneSample: sample ?? position, kind: kind))
  }

  private var hasWaitedEnough: Bool {
    let frame = Int64(microphoneFrame.sampleCount)
    return settled - (microphone.taken + frame) >= Int64(Self.longestWaitFrames) * frame
  }
}
