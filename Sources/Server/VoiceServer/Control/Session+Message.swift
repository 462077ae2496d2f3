internal import AnechoicAPI
internal import Authentication
internal import SessionWire
internal import SwiftProtobuf
internal import Synchronization
internal import VoiceSessions

extension Anechoic_V1_Session {
  /// Creates the message that shows a session to a client, without its statistics and formats.
  init(_ session: SessionHandle, for client: Principal) {
    self.init(session, session.feed.session, for: client)
  }

  /// Creates the message with the engine, the formats and the pacing.
  static func whole(_ session: SessionHandle, _ state: SessionState, for client: Principal) -> Self
  {
    var message = Self(session, state, for: client)
    message.engine = Anechoic_V1_Engine(session.engine)
    message.inputs = Anechoic_V1_Start.Inputs(session.setup)
    message.outputs = Anechoic_V1_Start.Outputs(session.setup)
    message.pacing = session.setup.isRealTime ? .realTime : .mediaClock
    return message
  }

  private init(_ session: SessionHandle, _ state: SessionState, for client: Principal) {
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
      state.injectionPermissions[client.origin.actor])
    if let route = state.route { self.route = Anechoic_V1_AudioRoute(route) }
    self.state = state.isSuspended ? .suspended : .running
    playbackClient = state.playbackClient ?? ""
    labels = session.labels.withLock { $0 }
    lastEventID = state.lastEventID
    owner = session.setup.owner.actor
    echoReference =
      session.setup.reference != nil ? .client : session.setup.playback != nil ? .playback : .none
    if client.has(.admin) { clientHost = session.owner.host }
    showTrouble(of: session, state)
  }

  /// Fills in the parts that tell whether something is wrong.
  private mutating func showTrouble(of session: SessionHandle, _ state: SessionState) {
    problems = state.problems.all.map { Anechoic_V1_CaptureWarning.Problem($0) }
    let health = session.health
    reduced = health.isReduced
    let processing = config.voiceProcessing
    if let hasConverged = health.hasConverged, processing.echoCancellation.enabled,
      !processing.bypassed, state.route?.output?.isHeadphones != true
    {
      echoConverged = hasConverged
    }
  }
}
