internal import AudioCore

/// Mute and mute gestures.
extension VoiceSession {
  /// Handles a mute gesture.
  ///
  /// - Returns: The result, or nil where the event `muteGestureResolved` will carry it.
  public func report(
    _ gesture: MuteGesture, sink: any SessionSink
  ) throws(Refusal) -> GestureResult? {
    let settings = state.configuration.mute
    let timeout = Int64(settings.decisionTimeout.frames * capture.samplesPerFrame)
    let verdict = try controls.gestures.report(
      gesture, isMuted: state.mute.isMuted, generation: state.mute.generation,
      policy: settings.gesturePolicy,
      isInputRunning: isMicrophoneRunning, now: position, timeout: timeout)
    switch verdict {
    case .waiting: return nil
    case .ignored: return result(.ignored)
    case .known(let outcome):
      return result(outcome, soundsChime: controls.gestures.soundedChime(gesture.id))
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

  /// Ends the wait for decisions that have timed out, and for the decision on the gesture with the
  /// given id. The caller passes the id because the time of a session without audio does not
  /// advance.
  public func expireGestures(_ id: String? = nil, sink: any SessionSink) {
    let rejects = state.configuration.mute.rejectsOnTimeout
    while let resolution = controls.gestures.expire(
      now: position, id: id, rejecting: rejects, generation: state.mute.generation)
    {
      resolve(resolution, sink: sink)
    }
  }

  /// Ends the wait for all decisions: gestures are ignored from now on.
  func ignoreGestures(at sample: Int64, sink: any SessionSink) {
    while let resolution = controls.gestures.ignoreNext() {
      resolve(resolution, at: sample, sink: sink)
    }
  }

  /// Carries out what was decided about a gesture, at the next frame or a later sample.
  @discardableResult
  func resolve(
    _ resolution: MuteGestures.Resolution, at sample: Int64? = nil, sink: any SessionSink
  ) -> GestureResult {
    var soundsChime = false
    if resolution.applies, setsMute(resolution.gesture) {
      soundsChime = isPlaybackHeard && state.configuration.mute.soundsChime
      if soundsChime {
        playback.sound(state.mute.isMuted ? .mute : .unmute)
        controls.gestures.recordChime(of: resolution.gesture.id)
      }
      muteChanged(at: sample ?? position, sink: sink)
    }
    let result = result(resolution.outcome, soundsChime: soundsChime)
    emit(.muteGestureResolved(id: resolution.gesture.id, result), at: sample, to: sink)
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

  /// Applies a change of the mute state, from any origin.
  func muteChanged(at sample: Int64, sink: any SessionSink) {
    let wasTalking = capture.mute(state.mute.isMuted, at: sample)
    emit(.muteChanged(state.mute, mutedSpeechWasActive: wasTalking), at: sample, to: sink)
  }

  /// Ends muted speech where its detection is switched off.
  func endMutedSpeech(at sample: Int64, sink: any SessionSink) {
    guard capture.endMutedSpeech() else { return }
    emit(.mutedSpeech(isActive: false), at: sample, to: sink)
  }
}
