/// The difference between clocks up to which a client is in real time. A client whose clock is faster by more
/// is held back.
public enum ClockTolerance {
  /// The clocks may differ by one part in this number.
  public static let parts = 1000
  /// The seconds of a client that is as fast as it may be, in a second.
  public static let greatestSpeed = 1 + 1 / Double(parts)
}
