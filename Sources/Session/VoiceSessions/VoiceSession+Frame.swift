internal import AudioCore
internal import VoiceEngines

/// The path of one frame.
extension VoiceSession {
  /// Processes 10 ms and emits the given share of them, which is less than 1 for the last frame.
  /// Runs per frame: no allocation, lock, log or await.
  func processFrame(share: Double, sink: any SessionSink) {
    if !capture.isRunning { begin(sink: sink) }
    controls.refill()
    // In the order of their samples: first the controls due at the first sample, then those due within
    // the frame.
    applyDueControls(in: position..<position + 1, sink: sink)
    if !controls.gestures.isIdle { expireGestures(sink: sink) }
    applyDueControls(in: position..<position + Int64(capture.samplesPerFrame), sink: sink)
    play(share: share, sink: sink)
    capture.readFrame()
    position += Int64(capture.samplesPerFrame)
    record(share: share, sink: sink)
    tellEchoPath(sink: sink)
    followEnrollment(sink: sink)
    if let interval = setup.framesPerStatistics,
      capture.processedFrames.isMultiple(of: Int64(interval))
    {
      sink.emit(statistics)
    }
  }

  /// Announces that the microphone runs.
  private func begin(sink: any SessionSink) {
    if capture.processedFrames == 0, !capture.isReduced, let reason = capture.micMode.reason {
      announceMicMode(reason, sink: sink)
    }
    capture.isRunning = true
    updateInjectionAvailability(sink: sink)
  }

  private func play(share: Double, sink: any SessionSink) {
    if let change = playback.advance(state.configuration) {
      report(change, of: .farEnd, to: sink)
    }
    injections.advance(isResting: leaps.reachNextFrame()) { report($0, to: sink) }
    guard setup.playback != nil else { return }
    head.advance(to: position + Int64(capture.samplesPerFrame))
    let change = playback.process(
      nearEndTalks: capture.nearEndTalks, head: listeningHead, state.configuration, injections)
    if let change {
      let samples = (change.share * Float(capture.samplesPerFrame)).rounded()
      emit(
        .duckingChanged(gain: change.gain, talking: change.talking),
        at: position + Int64(samples), to: sink)
    }
    if !setup.emitsFrames { output.add(playback.mix, share: share, to: .playback) }
  }

  private func record(share: Double, sink: any SessionSink) {
    let news = capture.process(
      mix: playback.mix, injections,
      CaptureSide.Context(
        configuration: state.configuration.mute, isMuted: state.mute.isMuted,
        isInterrupted: !controls.interruptions.isEmpty || gaps.hasMicrophone,
        farEndPlays: playback.farEndPlays, farEndIsAudible: playback.farEndIsAudible))
    if news.hasEchoPath {
      let delay = capture.echoDelay ?? .zero
      emit(.echoPathChanged(delay: delay, hasConverged: capture.hasConverged), to: sink)
    }
    if let change = news.voice { report(change, of: .nearEnd, to: sink) }
    if let change = news.mutedSpeech {
      emit(.mutedSpeech(isActive: change == .started), to: sink)
    }
    if let event = news.turn { report(event, to: sink) }
    news.warnings.forEach { change in
      emit(.captureWarning(change.problem, isActive: change.isActive), to: sink)
    }
    guard !setup.emitsFrames else {
      sink.emit(processed: capture.processed, playback: playback.mix)
      return output.skip(samples: capture.processed.sampleCount)
    }
    capture.addOutputs(share: share, to: &output)
    output.endFrame(capture.info, sink: sink)
  }

  private func report(
    _ change: VoiceActivityDetector.Change, of side: Side, to sink: any SessionSink
  ) {
    let settings = state.configuration.voiceActivity
    guard side == .nearEnd ? settings.isEnabled : settings.isFarEndEnabled else { return }
    switch change {
    case .began(let frame): announce(side, isActive: true, sample(of: side, frame), to: sink)
    case .ended(let frame): announce(side, isActive: false, sample(of: side, frame), to: sink)
    }
  }

  /// Ends the voices of both sides, muted speech and the turn, because no frame follows for now: nothing
  /// else would end them.
  func endVoices(sink: any SessionSink) {
    if let change = capture.endVoice() { report(change, of: .nearEnd, to: sink) }
    if let change = playback.endFarEndVoice() { report(change, of: .farEnd, to: sink) }
    endMutedSpeech(at: position, sink: sink)
    cutOffTurn(sink: sink)
  }

  func announce(
    _ side: Side, isActive: Bool, _ begin: Int64, at sample: Int64? = nil, to sink: any SessionSink
  ) {
    emit(.voiceActivityChanged(side, isActive: isActive, beganAt: begin), at: sample, to: sink)
  }

  /// The sample of the microphone that a finding in a frame of a side belongs to.
  func sample(of side: Side, _ frame: Int64) -> Int64 {
    switch side {
    case .nearEnd: capture.sample(ofFrame: frame)
    case .farEnd: frame * Int64(capture.samplesPerFrame)
    }
  }
}
