internal import AnechoicAPI
internal import AudioCore
internal import SessionWire
internal import SwiftProtobuf
internal import VoiceClient
internal import VoiceSessions

/// The output of the local voice, and requests from this machine.
extension EdgeVoice: LocalVoice.Receiver {
  func processed(_ frame: borrowing Frame) {
    // Between calls, frames flow for a test and for other audio. They are nobody's voice.
    guard server.usesLocal, calls.rule.isOn else { return }
    if configuration.fallback == .silence || mute.isMuted || chirp.isRunning {
      buffers.voice.clear()
      parts.programs.voice?.write(buffers.voice)
    } else {
      parts.programs.voice?.write(frame)
    }
  }

  func mixed(_ frame: borrowing Frame) {
    guard server.usesLocal else { return }
    // Keeps the count for the loudspeaker only. There is nobody to report to.
    _ = parts.rings.mix.write(
      frame,
      MixNote(
        firstSample: timing.position, time: MonotonicClock.nanoseconds,
        epoch: -1 - status.sessionCount))
  }

  func happened(_ event: SessionEvent) {
    switch event.kind {
    case .muteChanged(let state, _):
      guard server.link == nil else { return }
      mute.requested.ask(state.isMuted)
      status.muteActor = state.origin.actor
      status.mutedSpeechActive = false
    case .mutedSpeech(let isActive): status.mutedSpeechActive = isActive
    case .voiceActivityChanged(.nearEnd, let isActive, _): status.voiceActive = isActive
    case .duckingChanged(let gain, _): if server.link == nil, hasSession { parts.lower(gain) }
    default: return
    }
    publish()
  }

  /// Changes the mute state, in the session if there is one.
  func setMute(_ muted: Bool) {
    if muted { muting.waits.cancel() }
    if server.link != nil {
      requestMute(muted)
    } else {
      mute.requested.ask(muted)
      local?.set(muted: muted)
    }
    publish()
  }

  /// Handles a press of the mute key while there is no server.
  func pressedLocally(id: String, mutes: Bool?) -> GestureResult? {
    let origin = ControlOrigin(actor: configuration.session.client, isMediaClient: true)
    return local?.report(MuteGesture(id: id, mutes: mutes, origin: origin))
  }

  /// A request that goes to the session in a call of its own.
  struct AnticipatedMute {
    let controlID: UInt64
    /// The epoch of the session.
    let epoch: Int?
  }

  /// Records a request before it goes to the session. A mute withholds audio at once.
  func anticipateMute(_ muted: Bool) -> AnticipatedMute {
    if muted { muting.waits.cancel() }
    muting.controlID += 1
    muting.lastRequest = muting.controlID
    muting.requests.drop()
    mute.requested.ask(muted, controlID: muting.controlID)
    publish()
    return AnticipatedMute(controlID: muting.controlID, epoch: server.link?.epoch)
  }

  /// Records the answer to that request: the state of the session, or nil if the request is given
  /// up.
  func muteAnswered(_ request: AnticipatedMute, _ state: Anechoic_V1_MuteState?) {
    // If another session has followed, the request holds there.
    if let state, server.link?.epoch != request.epoch, state.muted == mute.requested.wanted {
      return
    }
    if let state, server.link?.epoch == request.epoch { mute(is: state) }
    mute.requested.withdraw(controlID: request.controlID)
    publish()
  }

  /// Returns whether no other request for a mute state has followed.
  func isNewest(_ request: AnticipatedMute) -> Bool { muting.lastRequest == request.controlID }

  /// Asks again for a request whose call has failed, unless another request has followed. Returns
  /// the state.
  func repeatMute(_ request: AnticipatedMute, _ muted: Bool) -> Anechoic_V1_MuteState {
    if mute.requested.controlID == request.controlID { setMute(muted) }
    return describeLocalSession().mute
  }

  /// Makes the voice silent while a press of the mute key that asks to mute is being decided.
  func pressIsDecided(_ isDecided: Bool) {
    if !isDecided { muting.waits.cancel() }
    mute.isPressed = !isDecided
    publish()
  }

  func hardwareMuted(_ muted: Bool) {
    guard muted != mute.hardware else { return }
    mute.hardware = muted
    sendInterruption(began: muted, .hardwareMuted)
    publish()
  }

  /// Records that something keeps the microphone from running, or does so no longer.
  func interrupt(_ reason: Anechoic_V1_Interruption.Reason, _ began: Bool) {
    guard began != devices.interruptions.contains(reason) else { return }
    if began {
      devices.interruptions.insert(reason)
    } else {
      devices.interruptions.remove(reason)
    }
    sendInterruption(began: began, reason)
  }

  func routeChanged(_ change: RouteSelector.Change) {
    devices.route = change.current.map { Anechoic_V1_AudioRoute(devices.setUp($0)) }
    devices.hears = change.current.flatMap(HeardLoudspeaker.init)
    status.route = change.current?.id
    followTuning(of: change.current)
    sendRoute(reason: change.reason)
    interrupt(.otherSession, change.isTaken)
    let none =
      change.isTaken
      ? "none, because another machine has the port"
      : "none, because no port that the policy allows is present"
    log("route: \(change.current?.id ?? none)")
    publish()
  }

  /// Returns the local session as clients of the local control see it while there is no server.
  func describeLocalSession() -> Anechoic_V1_Session {
    Anechoic_V1_Session.with {
      $0.name = "sessions/\(configuration.session.id)"
      $0.owner = configuration.session.client
      if let local {
        let state = local.state
        $0.createTime = Google_Protobuf_Timestamp(date: local.startTime)
        $0.config = Anechoic_V1_SessionConfig(state.configuration.resolved)
        $0.mute = Anechoic_V1_MuteState(state.mute)
        $0.mute.muted = mute.requested.wanted
        $0.activeMicMode = Anechoic_V1_MicMode(state.activeMicMode)
        $0.voiceActive = state.isVoiceActive
        $0.mutedSpeechActive = state.isMutedSpeechActive
        $0.lastEventID = state.lastEventID
      }
      if let route = devices.route { $0.route = route }
      $0.labels = ["fallback": configuration.fallback.rawValue]
    }
  }

  func publish() {
    status.isConnected = server.link != nil || playback != nil
    status.connection = server.link?.epoch
    status.hasSession = hasSession
    status.isRecording = isRecording
    status.session = server.link?.started.session ?? playback?.session ?? ""
    status.mute = mute
    status.latency = server.link == nil ? LatencyMeter.Shares() : timing.latency.shares
    status.sendDropped = server.link?.outbox.droppedCount ?? 0
    parts.board.publish(status)
  }
}

extension HeardLoudspeaker {
  fileprivate init?(_ port: EdgeConfiguration.Port) {
    guard port.hearsLoudspeaker else { return nil }
    self = port.loopback == nil ? .referenceChannels : .loopback
  }
}

extension Anechoic_V1_AudioRoute {
  /// Creates a route from the input and output of a port.
  init(_ port: EdgeConfiguration.Port) {
    self.init()
    func describe(_ isThere: Bool) -> Anechoic_V1_AudioPort? {
      guard isThere else { return nil }
      return Anechoic_V1_AudioPort.with {
        $0.portID = port.id
        $0.displayName = port.displayName
        $0.type = port.type
        $0.headphones = port.headphones
      }
    }
    if var microphone = describe(port.input != nil) {
      if let pair = Anechoic_V1_MicrophonePair(port) { microphone.microphonePair = pair }
      input = microphone
    }
    if let port = describe(port.output != nil) { output = port }
  }
}

extension EdgeVoice {
  /// Decides a press that a program on this machine reports while there is no server. Returns nil
  /// if no local voice can decide it.
  func report(
    _ request: Anechoic_V1_ReportMuteGestureRequest
  ) -> Anechoic_V1_ReportMuteGestureResponse? {
    let mutes = request.hasMuted ? request.muted : nil
    guard let result = pressedLocally(id: request.gestureID, mutes: mutes) else { return nil }
    return Anechoic_V1_ReportMuteGestureResponse.with {
      $0.outcome = Anechoic_V1_MuteGestureOutcome(result.outcome)
      $0.state = Anechoic_V1_MuteState(result.state)
      $0.chimeInPlayback = result.soundsChime
    }
  }

  /// Returns the answer to a press that the command has rejected.
  func rejection() -> Anechoic_V1_ReportMuteGestureResponse {
    Anechoic_V1_ReportMuteGestureResponse.with {
      $0.outcome = .rejected
      if let state = local?.state.mute { $0.state = Anechoic_V1_MuteState(state) }
    }
  }
}
