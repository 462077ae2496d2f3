internal import Alignment
internal import AudioCore
internal import VoiceEngines

/// The way of one frame.
extension VoiceSession {
  /// Processes 10 ms, and emits the given share of them: less than 1 for the last.
  /// Runs per frame: no allocation, lock, log or await.
  func processFrame(share: Double, sink: any SessionSink) {
    if !microphoneComes { begin(sink: sink) }
    budget.refill()
    reportBudget.refill()
    // In the order of their samples: what is due at the first one, then what is due within the frame.
    if !schedule.isEmpty { applyDueControls(in: position..<position + 1, sink: sink) }
    if !gestures.isIdle { expireGestures(sink: sink) }
    let frame = position..<position + Int64(microphoneFrame.sampleCount)
    if !schedule.isEmpty { applyDueControls(in: frame, sink: sink) }
    play(share: share, sink: sink)
    microphone.take(into: microphoneFrame)
    capture.load(microphoneFrame)
    let lacksReference = align(sink: sink)
    // Of a microphone that gives nothing, the engine would learn that there is no echo.
    if capture.input.peak == 0, echo.mustBeHeard { echo.aligned.clear() }
    var findings = capture.process(reference: echo.aligned, into: outputFrame)
    if !capture.restsEcho { followEcho(&findings, sink: sink) }
    listen(findings, sink: sink)
    if injections.isHeard { outputFrame.add(injections.processed, to: injections.lastGain) }
    limiter.process(outputFrame)
    let isMuted = gate.process(
      outputFrame, firstSample: processedFrames * Int64(outputFrame.sampleCount))
    processedFrames += 1
    watch(lacksReference: lacksReference, findings, sink: sink)
    chunker.addProcessed(outputFrame, count: outputFrame.samples(of: share))
    let info = FrameInfo(
      speechProbability: findings.speechProbability, hasVoice: findings.hasVoice, isMuted: isMuted)
    chunker.endFrame(info, sink: sink)
    if let interval = setup.framesPerStatistics, processedFrames.isMultiple(of: Int64(interval)) {
      sink.emit(statistics)
    }
  }

  /// What is said when the microphone begins to run.
  private func begin(sink: any SessionSink) {
    if processedFrames == 0, let reason = capture.micMode.reason {
      announceMicMode(reason, sink: sink)
    }
    microphoneComes = true
    updateInjectionAvailability(sink: sink)
  }

  private func play(share: Double, sink: any SessionSink) {
    if let change = playback.advance(state.configuration) {
      report(change, of: .farEnd, to: sink)
    }
    injections.advance { report($0, to: sink) }
    guard setup.playback != nil else { return }
    let change = playback.process(
      nearEndTalks: nearEnd.isActive, state.configuration, injections)
    if let change {
      emit(.duckingChanged(gain: change.gain, talking: change.talking), to: sink)
    }
    chunker.addPlayback(playback.mix, count: playback.mix.samples(of: share))
  }

  /// Loads the reference, aligned.
  ///
  /// - Returns: Whether it was needed and should have been there, and was not.
  private func align(sink: any SessionSink) -> Bool {
    let wasKnown = echo.status.echoDelay != nil
    let (hasMoved, isMissing) = echo.advance(microphone: capture.input, mix: playback.mix)
    // Nobody wants to know of an echo that is none, nor needs a reference for it.
    guard !capture.restsEcho else { return false }
    if hasMoved || !wasKnown && echo.status.echoDelay != nil {
      convergence.restart()
      announceEchoPath(sink: sink)
    }
    if isMissing { meter.referenceMissed() }
    return isMissing
  }

  /// Takes in how much of the echo is removed. What is not known to be no echo is no voice.
  private func followEcho(_ findings: inout FrameFindings, sink: any SessionSink) {
    let mayHaveEcho = echo.mayBeHeard
    let hasJustConverged = convergence.process(
      findings.echoReduction, mayHaveEcho: mayHaveEcho)
    if hasJustConverged, echo.status.echoDelay != nil {
      announceEchoPath(sink: sink)
    }
    if mayHaveEcho, convergence.isLearning { findings.hasVoice = false }
  }

  private func announceEchoPath(sink: any SessionSink) {
    let delay = echo.status.echoDelay ?? .zero
    emit(.echoPathChanged(delay: delay, hasConverged: convergence.isConverged), to: sink)
  }

  /// Follows the near end's voice, muted or not.
  private func listen(_ findings: FrameFindings, sink: any SessionSink) {
    if let change = nearEnd.process(hasVoice: findings.hasVoice) {
      report(change, of: .nearEnd, to: sink)
    }
    let speech = nearEnd.isActive ? sample(of: .nearEnd, nearEnd.onsetFrame) : nil
    guard state.mute.isMuted, state.configuration.mute.detectsMutedTalker,
      let change = mutedTalker.process(speechSince: speech)
    else { return }
    state.isMutedSpeechActive = change == .started
    emit(.mutedSpeech(isActive: change == .started), to: sink)
  }

  private func watch(
    lacksReference: Bool, _ findings: FrameFindings, sink: any SessionSink
  ) {
    meter.measure(microphone: microphoneFrame, processed: outputFrame, findings)
    let playsUnheard =
      setup.echoReference == nil && playback.farEndPlays && !capture.restsEcho
    let observation = CaptureWarnings.Observation(
      meanSquare: meter.microphoneMeanSquare, peak: microphoneFrame.peak,
      noiseFloor: meter.noiseFloorLevel,
      isInterrupted: !interruptions.isEmpty || gaps.hasMicrophone,
      playsWithoutReference: lacksReference || playsUnheard,
      hasUnsteadyClocks: !capture.restsEcho && echo.status.hasUnsteadyClocks)
    warnings.process(observation) { change in
      emit(.captureWarning(change.problem, isActive: change.isActive), to: sink)
    }
  }

  func report(_ change: VoiceActivityDetector.Change, of side: Side, to sink: any SessionSink) {
    let settings = state.configuration.voiceActivity
    guard side == .nearEnd ? settings.isEnabled : settings.isFarEndEnabled else { return }
    switch change {
    case .began(let frame): announce(side, isActive: true, sample(of: side, frame), to: sink)
    case .ended(let frame): announce(side, isActive: false, sample(of: side, frame), to: sink)
    }
  }

  func announce(_ side: Side, isActive: Bool, _ sample: Int64, to sink: any SessionSink) {
    switch side {
    case .nearEnd: state.isVoiceActive = isActive
    case .farEnd: state.isFarEndVoiceActive = isActive
    }
    emit(.voiceActivityChanged(side, isActive: isActive, beganAt: sample), to: sink)
  }

  /// Where in the microphone's timeline that was which was found in a frame.
  func sample(of side: Side, _ frame: Int64) -> Int64 {
    let latency = side == .nearEnd ? capture.findingsLatencySamples : 0
    return max(0, frame * Int64(microphoneFrame.sampleCount) - latency)
  }
}

extension Frame {
  /// As many samples as a share of this frame has.
  fileprivate func samples(of share: Double) -> Int {
    Int((Double(sampleCount) * share).rounded())
  }
}
