/// The state of a session, which can be read at any time and changes with events alone.
public struct SessionState: Sendable, Equatable {
  public internal(set) var configuration: SessionConfiguration
  public internal(set) var mute: MuteState
  public internal(set) var activeMicMode: MicMode
  /// Whether the near end talks; false while detection is off.
  public internal(set) var isVoiceActive = false
  public internal(set) var isFarEndVoiceActive = false
  public internal(set) var isMutedSpeechActive = false
  /// Whether the near end has the turn; false while turns are not detected.
  public internal(set) var isTurnActive = false
  /// The voice that isolation keeps.
  public internal(set) var voiceEnrollment: VoiceEnrollment
  public internal(set) var isInjectionAvailable = false
  public internal(set) var injectionPermissions: InjectionPermissions
  /// The route, or nil where there is none or none was reported yet.
  public internal(set) var route: AudioRoute?
  /// Whether the session waits for its media client, whose connection was lost.
  public internal(set) var isSuspended = false
  /// The client that plays the playback on another device, or nil.
  public internal(set) var playbackClient: String?
  /// The capture warnings that are active.
  public internal(set) var problems = CaptureProblems()
  /// The id of the last event, or 0 before the first.
  public internal(set) var lastEventID: UInt64 = 0

  init(
    configuration: SessionConfiguration, mute: MuteState, activeMicMode: MicMode,
    voiceEnrollment: VoiceEnrollment = .none, injectionPermissions: InjectionPermissions
  ) {
    self.configuration = configuration
    self.mute = mute
    self.activeMicMode = activeMicMode
    self.voiceEnrollment = voiceEnrollment
    self.injectionPermissions = injectionPermissions
  }

  /// Counts an event and takes over the state that it announces.
  mutating func record(_ event: SessionEvent.Kind) {
    lastEventID += 1
    switch event {
    case .voiceActivityChanged(.nearEnd, let isActive, _): isVoiceActive = isActive
    case .voiceActivityChanged(.farEnd, let isActive, _): isFarEndVoiceActive = isActive
    case .mutedSpeech(let isActive): isMutedSpeechActive = isActive
    case .turn(.started): isTurnActive = true
    case .turn(.ended), .turn(.notSpeech): isTurnActive = false
    case .voiceEnrollmentChanged(let state, _): voiceEnrollment = state
    case .muteChanged: isMutedSpeechActive = false
    case .injectionAvailabilityChanged(let isAvailable): isInjectionAvailable = isAvailable
    case .routeChanged(let change): route = change.current
    case .captureWarning(let problem, true): problems.insert(problem)
    case .captureWarning(let problem, false): problems.remove(problem)
    case .suspended: isSuspended = true
    case .resumed: isSuspended = false
    case .playbackClientChanged(let client, let hasJoined):
      playbackClient = hasJoined ? client : nil
    default: break
    }
  }
}
