internal import AnechoicAPI
internal import SessionWire
internal import SwiftProtobuf
internal import Synchronization
internal import VoiceSessions

extension Anechoic_V1_Session {
  /// Creates the message that shows a session to a client, without its statistics.
  init(_ session: SessionHandle, for client: ControlOrigin) {
    self.init(session, session.feed.session, for: client)
  }

  init(_ session: SessionHandle, _ state: SessionState, for client: ControlOrigin) {
    self.init()
    name = session.name
    createTime = Google_Protobuf_Timestamp(date: session.createTime)
    config = Anechoic_V1_SessionConfig(state.configuration.resolved)
    mute = Anechoic_V1_MuteState(state.mute)
    activeMicMode = Anechoic_V1_MicMode(state.activeMicMode)
    voiceActive = state.isVoiceActive
    turnActive = state.isTurnActive
    voiceEnrollment = Anechoic_V1_VoiceEnrollment(state.voiceEnrollment)
    farEndVoiceActive = state.isFarEndVoiceActive
    mutedSpeechActive = state.isMutedSpeechActive
    injectionAvailable = state.isInjectionAvailable
    injectionPermission = Anechoic_V1_InjectionPermission(
      state.injectionPermissions[client.actor])
    if let route = state.route { self.route = Anechoic_V1_AudioRoute(route) }
    self.state = state.isSuspended ? .suspended : .running
    playbackClient = state.playbackClient ?? ""
    labels = session.labels.withLock { $0 }
    lastEventID = state.lastEventID
    owner = session.setup.owner.actor
    echoReference =
      session.setup.reference != nil ? .client : session.setup.playback != nil ? .playback : .none
  }
}
