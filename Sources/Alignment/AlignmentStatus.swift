/// What is known of the echo's way, and what is done about it.
public struct AlignmentStatus: Sendable, Equatable {
  /// Of the echo behind the reference as it came in; nil before it is known.
  public var echoDelay: Duration?
  /// 0...1; 0 before the delay is known.
  public var confidence: Float = 0
  /// In parts per million, how fast the delay grows; nil before it is known.
  public var drift: Double?
  /// By which the reference is held back for the engine.
  public var referenceDelay: Duration = .zero
  /// By which the reference leads the echo at the engine; nil before the delay is known. Less than
  /// good: the reference comes too late, and no delay of it helps.
  public var lead: Duration?
  /// Times of the devices that were not believed.
  public var rejectedTimeCount = 0
  /// Whether the clocks are not what can be followed: times of the devices that contradict each other
  /// or the sound, or a drift of more than 500 parts per million.
  public var hasUnsteadyClocks = false

  public init() {}
}

/// The echo is elsewhere than before, and the reference was moved for the engine where it needs that.
public struct AlignmentChange: Sendable, Equatable {
  public enum Cause: Sendable {
    /// The delay of the echo was found for the first time.
    case found
    /// The delay of the echo has jumped.
    case jumped
    /// The devices' times say where the echo is, and it has not been heard there yet.
    case deviceTimes
  }

  public var cause: Cause
  /// By which the reference was held back.
  public var before: Duration
  /// By which it is held back now.
  public var after: Duration
}
