internal import AudioCore
internal import VoiceEngines

/// Changes to a running session.
extension VoiceSession {
  /// Applies a control at its sample. The result goes to the sink, now or then.
  public func submit(_ control: SessionControl, sink: any SessionSink) {
    do {
      if try controls.admit(control, at: position, rate: setup.microphone.rate) {
        apply(control, sink: sink)
      }
    } catch {
      sink.emit(ControlResult(control, appliedAtSample: position, refusal: error))
    }
  }

  func applyDueControls(in samples: Range<Int64>, sink: any SessionSink) {
    for control in controls.popDue(in: samples) { apply(control, sink: sink) }
  }

  /// Applies a control now. The result is emitted before the events that the control causes.
  private func apply(_ control: SessionControl, sink: any SessionSink) {
    let sample = max(control.atSample ?? position, position)
    do throws(Refusal) {
      try change(control, at: sample, sink: sink)
    } catch {
      sink.emit(ControlResult(control, appliedAtSample: sample, refusal: error))
    }
  }

  private func change(
    _ control: SessionControl, at sample: Int64, sink: any SessionSink
  ) throws(Refusal) {
    func accept() {
      sink.emit(ControlResult(control, appliedAtSample: sample, refusal: nil))
    }
    switch control.change {
    case .configuration(let change):
      let changed = try change(state.configuration)
      accept()
      apply(changed, by: control.origin, at: sample, sink: sink)
    case .mute(let muted, let generation):
      let wasChanged = try state.mute.set(
        muted, ifGeneration: generation, by: control.origin, source: control.origin.muteSource)
      accept()
      if wasChanged { muteChanged(at: sample, sink: sink) }
    case .gestureDecision(let id, let accepted):
      let resolution = try controls.gestures.decide(id, accept: accepted)
      accept()
      resolve(resolution, at: sample, sink: sink)
    case .injectionPermission(let client, let grant, let remember):
      guard !remember || setup.storesPermissions else {
        throw Refusal(
          .unavailable, reason: "PERMISSIONS_NOT_STORED",
          message: "decide_injection_permission.remember: this server does not store permissions")
      }
      let wasChanged = try state.injectionPermissions.decide(client, grant: grant)
      accept()
      if remember { sink.store(permissionOf: client, isGranted: grant) }
      if wasChanged { injectionPermissionChanged(of: client, at: sample, sink: sink) }
    case .clearPlayback:
      guard setup.playback != nil else {
        throw Refusal(
          .unavailable, reason: "NO_PLAYBACK",
          message: "clear_playback: start.outputs has no playback")
      }
      accept()
      playback.clear(after: shareOfFrame(before: sample))
    case .enrollVoice:
      try checkEnrollment("enroll_voice")
      accept()
      beginEnrollment(at: sample, sink: sink)
    case .voiceprint(let voiceprint):
      try checkEnrollment("set_voiceprint")
      if let voiceprint { try check(voiceprint) }
      accept()
      keep(voiceprint, at: sample, sink: sink)
    }
  }

  /// The part of the next frame before a sample of it.
  private func shareOfFrame(before sample: Int64) -> Float {
    Float(sample - position) / Float(capture.samplesPerFrame)
  }

  private func apply(
    _ changed: SessionConfiguration, by origin: ControlOrigin, at sample: Int64,
    sink: any SessionSink
  ) {
    let previous = state.configuration
    guard changed != previous else { return }
    state.configuration = changed
    let previousMode = capture.micMode
    let turnCutOff = capture.turnCutOff
    capture.apply(changed, after: Int(sample - position))
    state.activeMicMode = capture.micMode.mode
    playback.apply(changed, after: shareOfFrame(before: sample))
    emit(.configurationChanged(changed, by: origin), at: sample, to: sink)
    if changed.preferredMicMode != previous.preferredMicMode || capture.micMode != previousMode {
      announceMicMode(capture.micMode.reason, at: sample, sink: sink)
    }
    switchVoiceActivity(from: previous.voiceActivity, at: sample, sink: sink)
    switchTurns(from: turnCutOff, at: sample, sink: sink)
    if !changed.mute.detectsMutedTalker { endMutedSpeech(at: sample, sink: sink) }
    if changed.mute.gesturePolicy == .ignore { ignoreGestures(at: sample, sink: sink) }
    if changed.acceptsInjection != previous.acceptsInjection {
      if !changed.acceptsInjection { injections.cancel { report($0, at: sample, to: sink) } }
      updateInjectionAvailability(at: sample, sink: sink)
    }
  }

  /// Whether the engine runs in its reduced mode.
  public var isReduced: Bool { capture.isReduced }

  /// Switches the engine to its reduced mode because the server is overloaded, or back. Announces the
  /// change with an event of the mic mode. Does nothing for an engine without such a mode.
  public func reduceProcessing(_ isReduced: Bool, sink: any SessionSink) {
    guard capture.reduce(isReduced, state.configuration) else { return }
    announceMicMode(capture.micMode.reason, sink: sink)
  }

  func announceMicMode(
    _ reason: MicMode.Fallback?, at sample: Int64? = nil, sink: any SessionSink
  ) {
    let mode = state.activeMicMode
    emit(
      .micModeChanged(
        preferred: state.configuration.preferredMicMode, active: mode, reason: reason),
      at: sample, to: sink)
  }

  /// Announces voice that is active while its detection is switched on or off.
  private func switchVoiceActivity(
    from previous: SessionConfiguration.VoiceActivity, at sample: Int64, sink: any SessionSink
  ) {
    let settings = state.configuration.voiceActivity
    if settings.isEnabled != previous.isEnabled, capture.nearEndTalks {
      announce(
        .nearEnd, isActive: settings.isEnabled,
        settings.isEnabled ? capture.speechOnset : sample, at: sample, to: sink)
    }
    if let activity = playback.farEndVoice,
      settings.isFarEndEnabled != previous.isFarEndEnabled, activity.isActive
    {
      announce(
        .farEnd, isActive: settings.isFarEndEnabled,
        settings.isFarEndEnabled ? self.sample(of: .farEnd, activity.onsetFrame) : sample,
        at: sample, to: sink)
    }
  }
}
