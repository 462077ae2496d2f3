/// Something that happened in a session. Ids grow by one, from 1, without holes.
public struct SessionEvent: Sendable, Equatable {
  public let id: UInt64
  /// Where in the microphone's timeline.
  public let microphoneSample: Int64
  public let kind: Kind

  public enum Kind: Sendable, Equatable {
    /// `beganAt` is where speech began, before it was decided; at the end, where it ended.
    case voiceActivityChanged(isActive: Bool, beganAt: Int64)
    case micModeChanged(preferred: MicMode, active: MicMode)
    case configurationChanged(SessionConfiguration)
    case discontinuity(InputKind, GapReason, missingSamples: Int64)
    case ended(EndReason)
  }

  public enum EndReason: Sendable { case clientClosed }
}

/// An input of a session.
public enum InputKind: String, Sendable { case microphone, reference }

/// Why samples are missing.
public enum GapReason: Sendable { case unspecified, xrun, dropped, muted, deviceLost }
