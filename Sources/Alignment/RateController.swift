/// Keeps a buffer between two clocks as full as it should be, by saying how much faster than its own
/// clock the reading side has to read.
///
/// The drift is the slope of the level as it would be if nothing were done about it, over the last
/// minute, by a line that single bursts do not move (`RobustLine`). An echo canceller that listens
/// follows a rate that stays, and not one that wanders: so the drift is taken anew only when it is
/// clearly another, and a level is left alone until it is well off, and then brought back evenly.
public struct RateController: ~Copyable {
  /// In parts per million: two crystals differ by less than half of it.
  public static let largestDeviation = 1000.0
  /// By how much a level that is off is brought back, in parts per million.
  public static let correction = 60.0
  /// From how far off, and until how far, in seconds.
  public static let off = 0.003
  private static let settled = 0.0005
  /// A drift that differs by less is the same: in parts per million, and times its uncertainty.
  private static let leastChange = 10.0
  private static let clearFactor = 3.0
  private static let leastCount = 6
  /// No level is steadier, in seconds: what a few points say by chance is not believed.
  private static let scatter = 0.0015
  /// What a level moves by at once, in seconds, is no drift; the second time it has come to stay.
  private static let step = 0.0025

  /// In parts per million; positive where the reader must be quicker.
  public private(set) var deviation = 0.0
  /// By which the writer's clock is faster, as far as is known.
  public private(set) var drift = 0.0
  private let rate: Double
  private var line = RobustLine(capacity: 60)
  private var taken = 0.0  // samples that were read in excess
  private var time = 0.0
  private var correction = 0.0  // in parts per million
  private var isOutlying = false

  public init(rate: Double) { self.rate = rate }

  /// The buffer starts anew; the clocks are the same.
  public mutating func restart() {
    line.forget()
    (taken, time, correction) = (0, 0, 0)
    isOutlying = false
    deviation = drift
  }

  /// So many samples have been left out.
  public mutating func skipped(_ samples: Double) { taken += samples }

  /// The buffer holds `level` samples where it should hold `target`, and `seconds` have passed since
  /// the last time.
  public mutating func update(level: Double, target: Double, seconds: Double) {
    taken += deviation * 1e-6 * rate * seconds
    time += seconds
    let offset = level + taken - line.value(at: time)
    if line.count > 2, abs(offset) > Self.step * rate {
      isOutlying.toggle()
      guard !isOutlying else { return }
      line.shift(by: offset)
    }
    isOutlying = false
    line.add(time, level + taken)
    updateDrift(seconds)
    let surplus = (line.count > 2 ? line.value(at: time) - taken : level) - target
    updateCorrection(surplus / rate)
    deviation = Self.limited(drift + correction)
  }

  private mutating func updateDrift(_ seconds: Double) {
    guard line.count >= Self.leastCount else { return }
    let slope = Self.limited(line.slope / rate * 1e6)
    let count = Double(line.count)
    let least = Self.scatter * (12 / count).squareRoot() / (count * seconds)
    let uncertainty = max(line.uncertainty / rate, least) * 1e6
    let change = abs(slope - drift)
    guard change > max(Self.leastChange, Self.clearFactor * uncertainty)
    else { return }
    drift = slope
  }

  private mutating func updateCorrection(_ surplus: Double) {
    if correction == 0 {
      if abs(surplus) > Self.off { correction = surplus > 0 ? Self.correction : -Self.correction }
    } else if surplus * correction < Self.settled * Self.correction {
      correction = 0
    }
  }

  private static func limited(_ value: Double) -> Double {
    max(-largestDeviation, min(largestDeviation, value))
  }
}
