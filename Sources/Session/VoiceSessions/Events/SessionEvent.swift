/// Something that happened in a session. Ids grow by one, from 1, without holes.
public struct SessionEvent: Sendable, Equatable {
  public let id: UInt64
  /// Where in the microphone's timeline.
  public let microphoneSample: Int64
  public let kind: Kind

  public enum Kind: Sendable, Equatable {
    /// Speech while muted began or ended.
    case mutedSpeech(isActive: Bool)
    /// `beganAt` is where speech began, before it was decided; at the end, where it ended.
    case voiceActivityChanged(Side, isActive: Bool, beganAt: Int64)
    case turn(TurnEvent)
    /// `failure` is why an enrollment ended without a voiceprint.
    case voiceEnrollmentChanged(VoiceEnrollment, failure: EnrollmentFailure?)
    case muteChanged(MuteState, mutedSpeechWasActive: Bool)
    /// `timeout` is how long a decision is waited for.
    case muteGestureRequested(id: String, proposesMute: Bool, timeout: Duration)
    case muteGestureResolved(id: String, GestureResult)
    case micModeChanged(preferred: MicMode, active: MicMode, reason: MicMode.Fallback?)
    /// `gain` is in dB. `talking` is nil if nobody talks.
    case duckingChanged(gain: Float, talking: Side?)
    case injectionAvailabilityChanged(Bool)
    case injectionPermissionRequested(client: String, usageDescription: String)
    case injectionPermissionChanged(client: String, InjectionPermission)
    case injection(id: String, InjectionState, played: Duration)
    case routeChanged(RouteChange)
    case interruption(Interruption)
    case configurationChanged(SessionConfiguration, by: ControlOrigin)
    case discontinuity(InputKind, GapReason, missingSamples: Int64)
    /// Samples of a named far end were missing.
    case farEndDiscontinuity(id: String, GapReason, missingSamples: Int64)
    /// The echo was found, or is found elsewhere than before, or begins to be removed there.
    case echoPathChanged(delay: Duration, hasConverged: Bool)
    case captureWarning(CaptureProblem, isActive: Bool)
    /// The media client did not read this many samples of the processed output in time.
    case outputDropped(samples: Int64)
    /// The connection of the media client was lost. The session waits for it this long.
    case suspended(waitsFor: Duration)
    /// The media client continues the session, after this many missing samples of the microphone.
    case resumed(concealedSamples: Int64)
    /// A client began or ceased to play the playback on another device.
    case playbackClientChanged(String, hasJoined: Bool)
    /// The server is about to stop.
    case draining(endsIn: Duration)
    case ended(EndReason)
  }

  public enum InjectionState: Sendable { case started, finished, cancelled }

  public enum EndReason: Sendable {
    case clientClosed, clientLost, deleted, idle, maxDuration, slowConsumer, serverShutdown
  }
}

/// Something that happened to the turn of the near end. Samples are those of the microphone,
/// probabilities 0...1.
public enum TurnEvent: Sendable, Equatable {
  /// A turn began.
  case started(beganAt: Int64, probability: Float)
  /// The turn may have ended with the voice before `silentFrom`.
  case mayEnd(silentFrom: Int64, probability: Float)
  /// The voice goes on after `mayEnd`.
  case continued(beganAt: Int64)
  case ended(silentFrom: Int64, probability: Float)
  /// The turn that began there interrupts the far end.
  case interruption(beganAt: Int64, probability: Float)
  /// A short sign of attention while the far end talks. It does not start a turn.
  case backchannel(beganAt: Int64, probability: Float)
  /// A sound that is not speech. It withdraws a turn that began there.
  case notSpeech(beganAt: Int64, probability: Float)
}

/// A side of a call: the person at the microphone, or the other one.
public enum Side: Sendable { case nearEnd, farEnd }

/// An input of a session.
public enum InputKind: String, Sendable, CaseIterable {
  case microphone, reference
  case farEnd = "far_end"
  case otherAudio = "other_audio"
}

/// Why samples are missing.
public enum GapReason: Sendable {
  case unspecified, xrun, dropped, muted, deviceLost, connectionLost
}

/// A set of problems of a microphone. Allocates nothing.
public struct CaptureProblems: Sendable, Equatable {
  private var bits: UInt16 = 0

  public init() {}

  public func contains(_ problem: CaptureProblem) -> Bool { bits & Self.bit(problem) != 0 }

  public mutating func insert(_ problem: CaptureProblem) { bits |= Self.bit(problem) }

  public mutating func remove(_ problem: CaptureProblem) { bits &= ~Self.bit(problem) }

  /// The problems in the order of their declaration.
  public var all: [CaptureProblem] { CaptureProblem.allCases.filter(contains) }

  private static func bit(_ problem: CaptureProblem) -> UInt16 { 1 << problem.rawValue }
}
