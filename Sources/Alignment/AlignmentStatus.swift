/// What is known of the echo's way.
public struct AlignmentStatus: Sendable, Equatable {
  /// Of the echo behind the reference as it came in; nil before it is known.
  public var echoDelay: Duration?
  /// In parts per million, how fast the delay grows; nil before it is known.
  public var drift: Double?
  /// Whether the clocks are not what can be followed: times of the devices that contradict each other
  /// or the sound, or a drift of more than 1,000 parts per million.
  public var hasUnsteadyClocks = false

  public init() {}
}
