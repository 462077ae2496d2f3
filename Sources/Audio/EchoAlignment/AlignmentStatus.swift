/// The state of the alignment, for reports.
public struct AlignmentStatus: Sendable, Equatable {
  /// The delay of the echo after the reference as it came in; nil before it is known.
  public var echoDelay: Duration?
  /// The growth of the delay in parts per million; nil before it is known.
  public var drift: Double?
  /// Whether the clocks cannot be followed: the devices' times contradict each other or the sound,
  /// or the drift exceeds 1,000 parts per million.
  public var hasUnsteadyClocks = false

  /// Whether the reference contains the microphone.
  public var hasMicrophoneInReference = false

  public init() {}
}
