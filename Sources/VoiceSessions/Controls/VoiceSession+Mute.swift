internal import AudioCore

/// Mute, and the gestures that ask for it.
extension VoiceSession {
  /// Takes a gesture in.
  ///
  /// - Returns: What became of it, or nil where `muteGestureResolved` will tell.
  public func report(
    _ gesture: MuteGesture, sink: any SessionSink
  ) throws(Refusal) -> GestureResult? {
    let settings = state.configuration.mute
    let timeout = Int64(settings.decisionTimeout.frames * microphoneFrame.sampleCount)
    let verdict = try gestures.report(
      gesture, isMuted: state.mute.isMuted, generation: state.mute.generation,
      policy: settings.gesturePolicy,
      isInputRunning: isMicrophoneRunning, now: position, timeout: timeout)
    switch verdict {
    case .waiting: return nil
    case .ignored: return result(.ignored)
    case .known(let outcome):
      return result(outcome, soundsChime: gestures.soundedChime(gesture.id))
    case .apply(let gesture):
      return resolve(
        MuteGestures.Resolution(gesture: gesture, outcome: .applied, applies: true), sink: sink)
    case .ask(let gesture):
      emit(
        .muteGestureRequested(
          id: gesture.id, proposesMute: gesture.proposesMute, timeout: settings.decisionTimeout),
        to: sink)
      return nil
    }
  }

  /// Ends the wait for decisions whose time is over, and for that on the gesture with an id: for a
  /// session whose time stands still.
  public func expireGestures(_ id: String? = nil, sink: any SessionSink) {
    let rejects = state.configuration.mute.rejectsOnTimeout
    while let resolution = gestures.expire(
      now: position, id: id, rejecting: rejects, generation: state.mute.generation)
    {
      resolve(resolution, sink: sink)
    }
  }

  /// Ends the wait for decisions on gestures that count no more.
  func ignoreGestures(sink: any SessionSink) {
    while let resolution = gestures.ignoreNext() { resolve(resolution, sink: sink) }
  }

  @discardableResult
  func resolve(
    _ resolution: MuteGestures.Resolution, sink: any SessionSink
  ) -> GestureResult {
    var soundsChime = false
    if resolution.applies, setsMute(resolution.gesture) {
      soundsChime = setup.playback != nil && state.configuration.mute.soundsChime
      if soundsChime {
        playback.chime.start(state.mute.isMuted ? .mute : .unmute)
        gestures.noteChime(of: resolution.gesture.id)
      }
      muteChanged(at: position, sink: sink)
    }
    let result = result(resolution.outcome, soundsChime: soundsChime)
    emit(.muteGestureResolved(id: resolution.gesture.id, result), to: sink)
    return result
  }

  private func setsMute(_ gesture: MuteGestures.Pending) -> Bool {
    let change = try? state.mute.set(
      gesture.proposesMute, by: gesture.origin, source: .gesture)
    return change ?? false
  }

  private func result(_ outcome: GestureOutcome, soundsChime: Bool = false) -> GestureResult {
    GestureResult(outcome: outcome, state: state.mute, soundsChime: soundsChime)
  }

  /// The one place where a change of mute takes effect, whoever made it.
  func muteChanged(at sample: Int64, sink: any SessionSink) {
    let isMuted = state.mute.isMuted
    let (input, output) = (Int64(setup.microphone.rate.hertz), Int64(setup.processed.rate.hertz))
    // Towards silence where the rates have no sample in common.
    let heard = isMuted ? sample * output / input : (sample * output + input - 1) / input
    gate.turn(open: !isMuted, at: heard)
    if isMuted { mutedTalker.mute(at: sample) }
    let wasTalking = isMuted ? false : mutedTalker.reset()
    state.isMutedSpeechActive = false
    emit(.muteChanged(state.mute, mutedSpeechWasActive: wasTalking), at: sample, to: sink)
  }

  /// Detection has been switched off.
  func endMutedSpeech(sink: any SessionSink) {
    guard mutedTalker.reset() else { return }
    state.isMutedSpeechActive = false
    emit(.mutedSpeech(isActive: false), to: sink)
  }
}
