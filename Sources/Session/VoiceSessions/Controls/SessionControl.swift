/// A change to a running session.
public struct SessionControl: Sendable {
  public let id: UInt64
  /// The sample of the microphone to apply the control at. Nil and a past sample mean at once.
  public let atSample: Int64?
  public let origin: ControlOrigin
  public let change: Change

  public enum Change: Sendable {
    /// Makes the new configuration of the present one.
    case configuration(@Sendable (SessionConfiguration) throws(Refusal) -> SessionConfiguration)
    case mute(Bool, ifGeneration: UInt64?)
    case gestureDecision(id: String, accept: Bool)
    /// With `remember`, the decision also counts in later sessions.
    case injectionPermission(client: String, grant: Bool, remember: Bool = false)
    /// Drops the far end and other audio that wait.
    case clearPlayback
    /// Learns the voice at the microphone.
    case enrollVoice
    /// Keeps another voice, or the nearest if nil.
    case voiceprint(Voiceprint?)
  }

  public init(id: UInt64, atSample: Int64? = nil, by origin: ControlOrigin, _ change: Change) {
    self.id = id
    self.atSample = atSample
    self.origin = origin
    self.change = change
  }

  /// Whether the control can be applied in the frame of the microphone with these samples.
  func isDue(in frame: Range<Int64>) -> Bool {
    atSample.map { $0 < frame.upperBound } ?? true
  }
}

/// The answer to a control: where it took effect, or why it was refused.
public struct ControlResult: Sendable, Equatable {
  public let id: UInt64
  /// Whether the media client sent the control.
  public let isForMediaClient: Bool
  /// The sample of the microphone from which the control holds, or at which it was refused.
  public let appliedAtSample: Int64
  public let refusal: Refusal?

  public init(
    id: UInt64, isForMediaClient: Bool = true, appliedAtSample: Int64, refusal: Refusal?
  ) {
    self.id = id
    self.isForMediaClient = isForMediaClient
    self.appliedAtSample = appliedAtSample
    self.refusal = refusal
  }

  init(_ control: SessionControl, appliedAtSample: Int64, refusal: Refusal?) {
    self.init(
      id: control.id, isForMediaClient: control.origin.isMediaClient,
      appliedAtSample: appliedAtSample, refusal: refusal)
  }
}

/// The reason why a session refused a request. The session is unchanged.
public struct Refusal: Error, Sendable, Equatable {
  public enum Kind: Sendable {
    case invalid, unsupported, forbidden, notFound, exists, unavailable, aborted, tooMany, tooLate
  }

  public let kind: Kind
  /// A stable name in UPPER_SNAKE_CASE.
  public let reason: String
  public let message: String

  public init(_ kind: Kind, reason: String, message: String) {
    self.kind = kind
    self.reason = reason
    self.message = message
  }
}
