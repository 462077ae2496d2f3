/// Keeps a buffer between two clocks as full as it should be, by saying how much faster than its own
/// clock the reading side has to read: a proportional-integral controller with critical damping.
public struct RateController: Sendable {
  /// In parts per million: two crystals differ by less than half of it.
  public static let largestDeviation = 1000.0
  /// Of what is due to the buffer's level, in parts per million: the rest of the path hears it as drift.
  public static let largestCorrection = 300.0
  /// Seconds in which an error falls to a third; jitter of the buffer's level, in samples, moves the
  /// rate by so much less.
  public static let timeConstant = 15.0

  private let rate: Double
  private var integral = 0.0

  public init(rate: Double) { self.rate = rate }

  /// In parts per million; positive where the reader must be quicker.
  public private(set) var deviation = 0.0

  /// The buffer holds `surplus` samples more than it should, and `seconds` have passed since the
  /// last time.
  public mutating func update(surplus: Double, seconds: Double) {
    let correction = Self.largestCorrection
    let proportional = max(
      -correction, min(correction, surplus / (rate * Self.timeConstant) * 1e6))
    let limit = Self.largestDeviation
    integral += proportional * seconds / (4 * Self.timeConstant)
    integral = max(-limit, min(limit, integral))
    deviation = max(-limit, min(limit, proportional + integral))
  }
}
