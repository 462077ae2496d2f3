public import AudioCore
public import VoiceEngines

/// One session: audio and controls in, audio and events out.
///
/// A session does no I/O and reads no clock: its time is the index of the microphone's samples. It
/// belongs to one thread. The results of each call go to the sink that the call is given.
///
/// The session conducts three sides, each the owner of its state: the capture side makes the
/// processed output, the playback side the mix, and the control side keeps the requests of clients.
public final class VoiceSession {
  /// The longest gap that a listener hears in real time, as after the loss of packets.
  static let longestLoss = Duration.milliseconds(200)

  /// The state of the session, which changes with events alone.
  public internal(set) var state: SessionState
  /// The delays of the outputs, constant for the session.
  public let delays: OutputDelays
  /// The sample of the microphone that is processed next.
  public internal(set) var position: Int64 = 0
  let setup: SessionSetup
  var capture: CaptureSide
  var playback: PlaybackSide
  var controls = ControlSide()
  var injections: InjectionQueue
  var output: OutputChunker
  var gaps: OpenGaps
  /// The gaps of the microphone that came at once, and pass faster than in real time.
  var leaps: ConcealedSpans
  var head: HeadTracking
  var suspensions: UInt32 = 0
  var keptVoice: KeptVoice
  private var echoPaths = EchoPathSchedule()

  /// The number of samples of the processed output that were emitted.
  public var processedSamples: Int64 { output.emittedSamples }

  /// Whether there is a playback, and a device that plays it.
  var isPlaybackHeard: Bool {
    setup.playback != nil && (!setup.playsElsewhere || state.playbackClient != nil)
  }

  /// Creates a session.
  ///
  /// - Throws: An `EngineError`, or a `FrameResampler.ResamplingError`, for a setup that cannot be processed.
  public init(_ setup: SessionSetup, engine: any VoiceEngine.Type) throws {
    self.setup = setup
    let capture = try CaptureSide(setup, engine)
    playback = try PlaybackSide(setup, engine)
    gaps = OpenGaps(farEnds: setup.farEnds.count)
    leaps = ConcealedSpans(frameSize: capture.samplesPerFrame, delay: 0)
    head = HeadTracking(rate: setup.microphone.rate)
    injections = InjectionQueue(
      processed: setup.processed.rate, playback: setup.playback?.rate,
      longestPause: setup.isRealTime ? Injection.longestPauseFrames : nil)
    let output = OutputChunker(setup)
    delays = OutputDelays(capture, setup, output)
    self.output = output
    keptVoice = KeptVoice(capture.engine, setup)
    state = SessionState(
      configuration: setup.configuration,
      mute: MuteState(isMuted: setup.startsMuted, origin: setup.owner),
      activeMicMode: capture.micMode.mode, voiceEnrollment: keptVoice.state,
      injectionPermissions: InjectionPermissions(isServiceEnabled: setup.allowsInjection))
    self.capture = capture
  }

  /// Returns the `algorithmicDelay` of a session with this engine whose microphone and output have this
  /// rate, one of the engine's.
  public static func algorithmicDelay(
    of engine: any VoiceEngine.Type, rate: SampleRate, hasReference: Bool
  ) -> Duration {
    let reference = EngineFormat.Reference(rate: rate, channelCount: 1)
    let format = EngineFormat(
      rate: rate, channelCount: 1, reference: hasReference ? reference : nil)
    return CapturePipeline.latency(engine, format)
  }

  /// Returns the rate at which an engine works in a session, and the number of channels.
  public static func processing(
    of setup: SessionSetup, engine: any VoiceEngine.Type
  ) -> (rate: SampleRate, channelCount: Int) {
    (
      CapturePipeline.rate(for: setup, engine.processingRates),
      min(setup.microphone.channelCount, setup.processed.channelCount)
    )
  }

  /// The index after the last sample of the microphone that arrived.
  public var microphoneArrived: Int64 { capture.arrived }
  /// The client's index of that sample. It is another one after the client has counted anew.
  public var expectedMicrophoneIndex: Int64 { capture.expectedIndex }

  /// Appends samples of an input. Append the microphone's last of all that belong to one instant, then
  /// call `process`.
  ///
  /// - Parameters:
  ///   - samples: Whole sample frames in the format of the input, or one Opus packet. None, before a `firstSample`, extend
  ///     a gap up to there.
  ///   - firstSample: The index of the first sample, or nil for the one after the last.
  ///   - deviceTime: When the device captured or played the first sample, by one clock for all inputs.
  ///   - gap: The reason where samples are missing before these.
  public func append(
    _ samples: UnsafeRawBufferPointer, to input: InputKind, firstSample: Int64?,
    deviceTime: Duration? = nil, gap: GapReason, sink: any SessionSink
  ) throws(InputError) {
    try append(
      .encoded(samples), to: input, firstSample: firstSample, deviceTime: deviceTime, gap: gap,
      sink: sink)
  }

  /// Appends a frame to an input of plain samples with the rate and the channels of the frame, after the
  /// last sample of the input. Values beyond -1...1 are clipped, and NaN becomes silence.
  /// Runs per frame: no allocation, lock, log or await.
  public func append(
    _ frame: borrowing Frame, to input: InputKind, deviceTime: Duration? = nil,
    sink: any SessionSink
  ) throws(InputError) {
    try append(
      InputSamples(frame), to: input, firstSample: nil, deviceTime: deviceTime, gap: .unspecified,
      sink: sink)
  }

  /// Appends samples of an input. `resumes` is whether the client of the session was away before them.
  func append(
    _ samples: InputSamples, to input: InputKind, firstSample: Int64?,
    deviceTime: Duration? = nil, gap: GapReason, resumes: Bool = false, sink: any SessionSink
  ) throws(InputError) {
    let missing: Int64 =
      switch input {
      case .microphone:
        try appendMicrophone(
          samples, firstSample: firstSample, deviceTime: setup.playsElsewhere ? nil : deviceTime,
          resumes: resumes)
      case .reference:
        try capture.appendReference(samples, firstSample: firstSample, deviceTime: deviceTime)
      case .farEnd: try playback.appendFarEnd(samples, firstSample: firstSample)
      case .otherAudio: try playback.appendOtherAudio(samples, firstSample: firstSample)
      }
    if missing > 0 { gaps.add(missing, gap, to: input) }
    // A chunk without samples extends the gap.
    if !samples.isEmpty { announceGap(of: input, sink: sink) }
  }

  private func appendMicrophone(
    _ samples: InputSamples, firstSample: Int64?, deviceTime: Duration?, resumes: Bool
  ) throws(InputError) -> Int64 {
    let (missing, first) = try capture.appendMicrophone(
      samples, firstSample: firstSample, deviceTime: deviceTime)
    // A client extends a gap in steps while it lasts. Any other gap is over when it is known.
    let isStep = samples.isEmpty && !resumes
    let longest = isStep ? InputTimeline.longestChunk : Self.longestLoss
    if setup.isRealTime, missing > setup.microphone.rate.samples(in: longest) {
      leaps.add(first - missing..<first)
    }
    if let deviceTime { head.recordCapture(sample: first, at: deviceTime) }
    return missing
  }

  private func announceGap(of input: InputKind, sink: any SessionSink) {
    guard let gap = gaps.close(input) else { return }
    emit(.discontinuity(input, gap.reason, missingSamples: gap.missingSamples), to: sink)
  }

  /// Records when the client's device played a sample of the playback. The report is used where the
  /// playback is the echo reference.
  ///
  /// - Parameters:
  ///   - silence: Samples of silence that the client inserted before this sample.
  ///   - skipped: Samples that the client left out before this sample.
  ///   - rate: The rate at which the client plays faster than the device's clock, in parts per million.
  public func playbackWasHeard(
    firstSample: Int64, at deviceTime: Duration, silence: UInt32 = 0, skipped: UInt32 = 0,
    rate: Double = 0
  ) throws(InputError) {
    let sent = (capture.processedFrames - output.waitingFrames) * Int64(playback.mix.sampleCount)
    guard (0..<sent).contains(firstSample) else {
      throw .unsent(firstSample, sent: sent)
    }
    guard abs(rate) <= InputError.largestRate else { throw .impossibleRate(rate) }
    guard setup.reference == nil, !setup.playsElsewhere else { return }
    // The client plays decoded samples, and the reference is the mix before the encoder.
    capture.recordPlayback(
      sample: firstSample - Int64(output.lookAheads.playback), at: deviceTime,
      added: Int64(silence) - Int64(skipped), rate: rate)
  }

  /// Processes the complete frames, `limit` of them at most.
  /// Runs per frame: no allocation, lock, log or await.
  public func process(atMost limit: Int = .max, sink: any SessionSink) {
    var left = limit
    while left > 0, hasCompleteFrame {
      processFrame(share: 1, sink: sink)
      left -= 1
    }
  }

  /// Whether `process` has a frame to process: a frame of the microphone that has its reference, needs
  /// none, or has waited for it long enough.
  public var hasCompleteFrame: Bool { capture.hasCompleteFrame }

  /// Processes at most `limit` of the remaining frames, so that the output is as long as the input,
  /// and then ends the session. Until this returns true, only this method and `end` may be called.
  ///
  /// - Returns: Whether the session has ended.
  @discardableResult
  public func finish(
    _ reason: SessionEvent.EndReason, atMost limit: Int = .max, sink: any SessionSink
  ) -> Bool {
    var left = limit
    while left > 0, capture.waiting > 0 {
      if !hasCompleteFrame { capture.endReference() }
      let share = Double(capture.waiting) / Double(capture.samplesPerFrame)
      processFrame(share: min(share, 1), sink: sink)
      left -= 1
    }
    guard capture.waiting == 0 else { return false }
    output.flush(to: sink)
    end(reason, sink: sink)
    return true
  }

  /// Whether the session began with the echo path of its setup.
  public var usesEchoPathHint: Bool { capture.usesEchoPathHint }

  /// Tells the echo path when it is time to. Allocates only then.
  func tellEchoPath(sink: any SessionSink) {
    guard setup.tellsEchoPath, echoPaths.advance(hasConverged: capture.hasConverged) else { return }
    if let path = capture.echoPath { sink.emit(path) }
  }

  /// Ends the session without processing more.
  public func end(_ reason: SessionEvent.EndReason, sink: any SessionSink) {
    for control in controls.popAll() {
      let refusal = Refusal(
        .tooLate, reason: "SESSION_ENDED", message: "the session ended before the sample came")
      sink.emit(ControlResult(control, appliedAtSample: position, refusal: refusal))
    }
    endInjections(sink: sink)
    if setup.tellsEchoPath, let path = capture.echoPath { sink.emit(path) }
    endEnrollment(sink: sink)
    for input in InputKind.allCases { announceGap(of: input, sink: sink) }
    for farEnd in setup.farEnds.indices { announceGap(ofFarEnd: farEnd, sink: sink) }
    emit(.ended(reason), to: sink)
  }

  /// The part of the statistics that grows with each frame.
  /// Runs per frame: no allocation, lock, log or await.
  public var flow: SessionStatistics.Flow {
    var flow = capture.flow
    flow.samplesConcealed = gaps.concealedSamples
    return flow
  }

  /// The statistics of the session.
  public var statistics: SessionStatistics {
    var statistics = capture.statistics
    statistics.flow.samplesConcealed = gaps.concealedSamples
    statistics.flow.suspensions = suspensions
    playback.fill(&statistics)
    return statistics
  }

  /// Marks the microphone as stopped until its samples arrive again. Voices and the turn end.
  public func microphoneStopped(sink: any SessionSink) {
    capture.isRunning = false
    endVoices(sink: sink)
    updateInjectionAvailability(sink: sink)
  }

  /// Marks the microphone as stopped while other inputs go on. Of these, only what waited before and the
  /// newest samples are kept until the microphone goes on: what is played meanwhile belongs to none of its
  /// samples.
  public func microphoneStoppedAlone(sink: any SessionSink) {
    capture.restReference()
    playback.rest()
    microphoneStopped(sink: sink)
  }

  /// Announces that the server is about to stop.
  public func announceEnd(in time: Duration, sink: any SessionSink) {
    emit(.draining(endsIn: time), to: sink)
  }

  /// Reports that the media client did not read this many samples of the processed output in time.
  public func outputWasDropped(samples: Int64, sink: any SessionSink) {
    emit(.outputDropped(samples: samples), to: sink)
  }

  /// Reports that another device began or ceased to play the playback.
  public func playbackClientChanged(_ client: String, hasJoined: Bool, sink: any SessionSink) {
    emit(.playbackClientChanged(client, hasJoined: hasJoined), to: sink)
  }

  /// Reports that the microphone is behind or ahead of real time, or keeps pace again.
  public func microphoneIs(_ problem: CaptureProblem, _ isActive: Bool, sink: any SessionSink) {
    emit(.captureWarning(problem, isActive: isActive), to: sink)
  }

  /// Emits an event, at a sample of the microphone or else at the present one.
  func emit(_ kind: SessionEvent.Kind, at sample: Int64? = nil, to sink: any SessionSink) {
    state.record(kind)
    sink.emit(
      SessionEvent(id: state.lastEventID, microphoneSample: sample ?? position, kind: kind))
  }
}
