/// What can be read of a session at any time; it changes with events alone.
public struct SessionState: Sendable, Equatable {
  public internal(set) var configuration: SessionConfiguration
  public internal(set) var mute: MuteState
  public internal(set) var activeMicMode: MicMode
  /// False while detection is off.
  public internal(set) var isVoiceActive = false
  public internal(set) var isFarEndVoiceActive = false
  public internal(set) var isMutedSpeechActive = false
  public internal(set) var isInjectionAvailable = false
  public internal(set) var injectionPermissions: InjectionPermissions
  /// Nil where there is none, or nobody told of one yet.
  public internal(set) var route: AudioRoute?
  /// 0 before the first.
  public internal(set) var lastEventID: UInt64 = 0
}
