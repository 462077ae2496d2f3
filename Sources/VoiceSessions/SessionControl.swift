/// A change to a running session.
public struct SessionControl: Sendable {
  public let id: UInt64
  /// Not before this sample of the microphone; nil, or past: at the next frame.
  public let atSample: Int64?
  public let change: Change

  public enum Change: Sendable {
    /// Makes the new configuration out of the one in force when it is applied.
    case configuration(@Sendable (SessionConfiguration) throws(Refusal) -> SessionConfiguration)
  }

  public init(id: UInt64, atSample: Int64? = nil, _ change: Change) {
    self.id = id
    self.atSample = atSample
    self.change = change
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

/// Why a control was not applied. The session goes on as it was.
public struct Refusal: Error, Sendable, Equatable {
  public enum Kind: Sendable { case invalid, unsupported, tooMany, tooLate }

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
