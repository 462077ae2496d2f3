/// A change to a running session.
public struct SessionControl: Sendable {
  public let id: UInt64
  /// Not before this sample of the microphone; nil, or past: at once.
  public let atSample: Int64?
  public let origin: ControlOrigin
  public let change: Change

  public enum Change: Sendable {
    /// Makes the new configuration out of the one in force when it is applied.
    case configuration(@Sendable (SessionConfiguration) throws(Refusal) -> SessionConfiguration)
    /// Applied at the very sample; everything else at the first frame from it on.
    case mute(Bool, ifGeneration: UInt64?)
    case gestureDecision(id: String, accept: Bool)
    case injectionPermission(client: String, grant: Bool)
    /// Forgets what waits to be played.
    case clearPlayback
  }

  public init(id: UInt64, atSample: Int64? = nil, by origin: ControlOrigin, _ change: Change) {
    self.id = id
    self.atSample = atSample
    self.origin = origin
    self.change = change
  }

  /// Whether it can be applied in the frame of the microphone with these samples.
  func isDue(in frame: Range<Int64>) -> Bool {
    guard let atSample else { return true }
    return isExact ? atSample < frame.upperBound : atSample <= frame.lowerBound
  }

  /// Whether it takes effect within a frame, at its very sample.
  var isExact: Bool {
    if case .mute = change { true } else { false }
  }
}

/// The answer to a control: where it took effect, or why not.
public struct ControlResult: Sendable, Equatable {
  public let id: UInt64
  /// In the microphone's timeline: the first sample that it holds for, or where it was refused.
  public let appliedAtSample: Int64
  public let refusal: Refusal?

  public init(id: UInt64, appliedAtSample: Int64, refusal: Refusal?) {
    self.id = id
    self.appliedAtSample = appliedAtSample
    self.refusal = refusal
  }
}

/// Why a session did not do what it was asked. It goes on as it was.
public struct Refusal: Error, Sendable, Equatable {
  public enum Kind: Sendable {
    case invalid, unsupported, notFound, exists, unavailable, aborted, tooMany, tooLate
  }

  public let kind: Kind
  /// Stable, UPPER_SNAKE_CASE.
  public let reason: String
  public let message: String

  public init(_ kind: Kind, reason: String, message: String) {
    self.kind = kind
    self.reason = reason
    self.message = message
  }
}
