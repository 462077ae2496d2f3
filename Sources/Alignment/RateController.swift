/// Keeps a buffer between two clocks as full as it should be, by saying how much faster than its own
/// clock the reading side has to read.
///
/// The drift is the slope of the level as it would be if nothing were done about it, over the last half
/// minute, by a line that single bursts do not move (`RobustLine`); beside it the level itself is
/// brought to where it should be, slowly.
public struct RateController: ~Copyable {
  /// In parts per million: two crystals differ by less than half of it.
  public static let largestDeviation = 1000.0
  /// Of what is due to the buffer's level, in parts per million: the rest of the path hears it as drift.
  public static let largestCorrection = 60.0
  /// Seconds in which an error of the level falls to a third.
  public static let timeConstant = 20.0
  /// A slope that is less certain is not used, in parts per million.
  private static let largestUncertainty = 40.0
  private static let leastCount = 10

  /// In parts per million; positive where the reader must be quicker.
  public private(set) var deviation = 0.0
  /// By which the writer's clock is faster, as far as is known.
  public private(set) var drift = 0.0
  private let rate: Double
  private var line = RobustLine(capacity: 30)
  private var taken = 0.0  // samples that were read in excess
  private var time = 0.0

  public init(rate: Double) { self.rate = rate }

  /// The buffer starts anew; the clocks are the same.
  public mutating func restart() {
    line.forget()
    (taken, time) = (0, 0)
    deviation = drift
  }

  /// So many samples have been left out.
  public mutating func skipped(_ samples: Double) { taken += samples }

  /// The buffer holds `level` samples where it should hold `target`, and `seconds` have passed since
  /// the last time.
  public mutating func update(level: Double, target: Double, seconds: Double) {
    taken += deviation * 1e-6 * rate * seconds
    time += seconds
    line.add(time, level + taken)
    if line.count >= Self.leastCount, line.uncertainty / rate * 1e6 < Self.largestUncertainty {
      drift = Self.limited(line.slope / rate * 1e6, Self.largestDeviation)
    }
    let surplus = (line.count > 2 ? line.value(at: time) - taken : level) - target
    let correction = Self.limited(
      surplus / (rate * Self.timeConstant) * 1e6, Self.largestCorrection)
    deviation = Self.limited(drift + correction, Self.largestDeviation)
  }

  private static func limited(_ value: Double, _ limit: Double) -> Double {
    max(-limit, min(limit, value))
  }
}
