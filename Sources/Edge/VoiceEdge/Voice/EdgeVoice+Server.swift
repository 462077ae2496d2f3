internal import AnechoicAPI
internal import AudioCore
internal import GRPCTransport
internal import SwiftProtobuf
internal import VoiceClient

/// The start and the end of server sessions.
extension EdgeVoice {
  /// Returns the request that starts the next session.
  func makeStart(suffix: Int) -> Anechoic_V1_Start {
    let (audio, programs) = (configuration.audio, configuration.programs)
    let usesReference =
      audio.reference == .tap
      || audio.reference.mayLoop && configuration.session.share == nil
        && configuration.routes.ports.contains(where: \.hearsLoudspeaker)
    return Anechoic_V1_Start.with {
      let ending = suffix == 0 ? "" : "-\(suffix + 1)"
      $0.sessionID =
        configuration.session.id.prefix(Identifier.longest - ending.count) + ending
      $0.config = tuned(wantedSettings)
      $0.engine = configuration.session.engine
      $0.muted = mute.session
      $0.inputs.microphone = VoiceFrames.format(audio.rate, audio.inputChannels)
      if usesReference {
        $0.inputs.reference = VoiceFrames.format(audio.rate, audio.outputChannels)
      }
      addNamedFarEnds(to: &$0)
      if programs.farEnd != nil {
        $0.inputs.farEnd = VoiceFrames.format(audio.rate, programs.farEndChannels)
      }
      // The session lowers other audio, and reports its gain, only if there is any.
      if programs.otherAudio != nil || programs.desktop != .none {
        $0.inputs.otherAudio = VoiceFrames.format(audio.rate, programs.otherAudioChannels)
      }
      $0.outputs.processed = VoiceFrames.format(audio.rate, audio.inputChannels)
      $0.outputs.playback = VoiceFrames.format(audio.rate, audio.outputChannels)
      $0.outputs.playbackElsewhere = configuration.session.share != nil
      $0.statsInterval.seconds = 1
      if let lost = status.gapSince {
        let gap = MonotonicClock.nanoseconds - lost
        $0.labels = ["gap-before-ms": "\(gap / 1_000_000)"]
      }
      $0.echoPathWanted = true
      if let learnt = server.echoPath, learnt.route == status.route {
        $0.echoPathHint = learnt.path
      }
      if let voiceprint = server.voice.wanted { $0.voiceprint = voiceprint }
      continueLostSession(&$0)
    }
  }

  /// Gives up the part of a start for which the server has refused it.
  func startRefused(_ status: Status) {
    switch status.refusedPart {
    case .echoPath: server.echoPath = nil
    case .voice: server.voice.refusal = status.message
    case nil:
      // The reason may be a configuration that another client has set.
      if status.code == .invalidArgument { server.kept = nil }
    }
  }

  func connected(_ session: ServerSession) {
    // The call may be over meanwhile.
    guard calls.rule.isOn else { return session.outbox.close() }
    let started = session.started
    // The person has hung up since this call asked for the lost session, and has begun another call.
    if started.hasResumed, server.lost?.started.resumeToken != session.start.resumeToken {
      return session.outbox.close()
    }
    let resumed = started.hasResumed ? server.lost : nil
    server.lost = nil
    if let resumed {
      moveTimelines(to: started.resumed, resumed)
      // The session has not heard of places that have changed meanwhile.
      server.placesSeen = -1
    } else {
      restartTimelines()
      muting.generation = started.mute.generation
      server.kept = KeptConfiguration(wantedSettings, told: untuned(started.config))
      voiceStarted(started, asked: session.start)
    }
    server.link = session
    server.standsIn = false
    follow(started.config)
    server.lastEventID = resumed?.lastEventID ?? 0
    if resumed == nil { lowerOthersAtRest(started.config) }
    server.liveFrom = timing.position
    server.heardUntil = timing.position
    server.lastAnswer = MonotonicClock.nanoseconds
    timing.latency = LatencyMeter(processing: started.processingDelay)
    status.stats = nil
    if resumed == nil { status.sessionCount += 1 } else { status.resumptionCount += 1 }
    if let lost = status.gapSince {
      let gap = Duration.nanoseconds(server.lastAnswer - lost)
      status.lastGap = gap
      let result = resumed == nil ? "a new session started" : "the session goes on"
      log("server: was away for \((gap.seconds * 10).rounded() / 10) s; \(result)")
    }
    status.gapSince = nil
    muting.requests.drop()
    let wanted = mute.requested.began(muted: started.mute.muted, at: timing.position)
    if resumed != nil {
      reconcile(started, wanted)
      voiceResumed()
      repeatInjectionAnswers()
    } else {
      forgetInjectionQuestions()
    }
    if let wanted { requestMute(wanted) }
    // A session that goes on may have a route that is no longer there.
    if devices.route != nil || resumed != nil {
      sendRoute(reason: devices.route == nil ? .noSuitableRoute : .newDevice)
    }
    if mute.hardware { sendInterruption(began: true, .hardwareMuted) }
    for reason in devices.interruptions { sendInterruption(began: true, reason) }
    publish()
  }

  func disconnected(epoch: Int) {
    guard let link = server.link, link.epoch == epoch else { return }
    leaveLink()
    lowerOthersAtRest(nil)
    server.lost = LostSession(started: link.started, lastEventID: server.lastEventID)
    status.gapSince = MonotonicClock.nanoseconds
    publish()
  }

  /// Leaves the session, if there is one. The server ends it, because nothing more comes.
  func leaveSession() {
    leaveLink()
    forgetInjectionQuestions()
  }

  /// Leaves the connection. The session may go on with another one, and its questions with it.
  private func leaveLink() {
    server.link?.outbox.close()
    server.link = nil
    server.lost = nil
    server.standsIn = false
    follow(configuration.session.configuration)
    mute.requested.connectionLost()
    status.gapSince = nil
    status.stats = nil
    status.voiceActive = false
    server.injectionAnswers = [:]
  }

  func received(_ response: Anechoic_V1_ProcessResponse, epoch: Int) {
    guard let link = server.link, link.epoch == epoch else { return }
    server.lastAnswer = MonotonicClock.nanoseconds
    switch response.response {
    case .audio(let audio):
      endStandIn(at: audio.processed.firstSample)
      // The local voice was heard until then.
      guard !server.standsIn, audio.processed.firstSample >= server.liveFrom else { return }
      VoiceFrames.decode(audio.processed, into: buffers.voice) { frame, first in
        timing.latency.recordReceived(first / Int64(frame.sampleCount), now: server.lastAnswer)
        // Output that comes again, or of audio that was never sent, has no place.
        guard first >= server.heardUntil, first <= timing.position else { return }
        server.heardUntil = first + Int64(frame.sampleCount)
        if mute.isMutedInSession, first < mute.heardFrom { frame.clear() }
        parts.programs.voice?.write(frame)
      }
      if audio.hasPlayback {
        VoiceFrames.decode(audio.playback, into: buffers.mix) { frame, first in
          _ = parts.rings.mix.write(
            frame, MixNote(firstSample: first, time: server.lastAnswer, epoch: epoch))
        }
      }
    case .event(let event):
      server.lastEventID = event.eventID
      happened(event)
    case .stats(let stats): status.stats = stats
    case .controlResult(let result):
      let (id, isRefused) = (result.controlID, result.hasRefusal)
      mute.requested.answered(controlID: id, isRefused: isRefused, at: result.appliedAtSample)
      muting.requests.answered(id, isRefused: isRefused, now: .now)
      injectionAnswered(result)
      enrollmentAnswered(result)
      sendMuteRequest()
      publish()
    case .echoPath(let path): server.echoPath = (status.route, path)
    case .voiceprint(let voiceprint): learnt(voiceprint)
    case .started, nil: break
    }
  }

  /// Records the session's mute state, from an event or from an answer, whichever comes first. Only
  /// an event tells the sample at which it changed.
  func mute(is state: Anechoic_V1_MuteState, at sample: Int64? = nil) {
    let isNew = state.generation > muting.generation
    guard isNew || sample != nil && state.generation == muting.generation else { return }
    muting.generation = state.generation
    mute.requested.changed(to: state.muted, at: sample)
    guard isNew else { return }
    status.muteActor = state.actor
    status.mutedSpeechActive = false
    local?.set(muted: state.muted)
    publish()
  }

  private func happened(_ event: Anechoic_V1_SessionEvent) {
    switch event.event {
    case .muteChanged(let change):
      return mute(is: change.state, at: event.microphoneSample)
    case .mutedSpeechActivity(let speech):
      status.mutedSpeechActive = speech.activity == .started
    case .voiceActivityChanged(let change):
      if change.side == .nearEnd { status.voiceActive = change.active }
    case .voiceEnrollmentChanged(let change): enrollmentChanged(change)
    case .muteGestureRequested(let request): decide(request)
    case .injectionPermissionRequested(let request): decide(request)
    case .injectionPermissionChanged(let change): permissionChanged(change)
    case .configChanged(let change):
      server.kept?.changed(to: untuned(change.config))
      follow(change.config)
    case .duckingChanged(let change): parts.lower(change.gainDb)
    case .playbackClientChanged(let change):
      log("playback: \(change.client) has \(change.joined ? "joined" : "left")")
    case .discontinuity(let gap):
      if gap.input == .microphone { status.reportedGapSamples &+= max(0, gap.missingSamples) }
    default: return
    }
    publish()
  }

  /// Lets the command decide. Without a command, a press is accepted.
  private func decide(_ request: Anechoic_V1_MuteGestureRequested) {
    Task { [mailbox = parts.mailbox, command = configuration.mute.gestureCommand] in
      let accepts = await GestureCommand.accepts(command, muted: request.proposedMuted)
      mailbox.post { voice in
        voice.sendControl {
          $0.decideMuteGesture.gestureID = request.gestureID
          $0.decideMuteGesture.accept = accepts
        }
      }
    }
  }

  /// Asks the session to change its mute state, until it does.
  func requestMute(_ muted: Bool) {
    let control = control { $0.setMute.muted = muted }
    muting.lastRequest = control.controlID
    muting.requests.add(control)
    mute.requested.ask(muted, controlID: control.controlID)
    sendMuteRequest()
  }

  /// Sends the request to change the mute state that is due, if there is one.
  func sendMuteRequest() {
    guard let link = server.link, let control = muting.requests.pop(now: .now) else { return }
    link.outbox.put(.control(control))
  }

  /// Sends a control, if there is a session. Returns its id.
  @discardableResult
  func sendControl(_ fill: (inout Anechoic_V1_Control) -> Void) -> UInt64 {
    let control = control(fill)
    server.link?.outbox.put(.control(control))
    return control.controlID
  }

  func control(_ fill: (inout Anechoic_V1_Control) -> Void) -> Anechoic_V1_Control {
    muting.controlID += 1
    var control = Anechoic_V1_Control()
    control.controlID = muting.controlID
    fill(&control)
    return control
  }

  /// Tells the session on the server and the local voice which route is in use.
  func sendRoute(reason: Anechoic_V1_RouteChanged.Reason) {
    let change = Anechoic_V1_RouteChanged.with {
      $0.reason = reason
      if let route = devices.route { $0.current = route }
    }
    server.link?.outbox.put(.device(.with { $0.routeChanged = change }))
    local?.use(change)
  }

  func sendInterruption(began: Bool, _ reason: Anechoic_V1_Interruption.Reason) {
    server.link?.outbox.put(
      .device(
        .with {
          $0.interruption.began = began
          $0.interruption.reason = reason
          $0.interruption.shouldResume = !began
        }))
  }
}
