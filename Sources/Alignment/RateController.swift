/// Keeps a buffer between two clocks as full as it should be, by saying how much faster than its own
/// clock the reading side has to read.
///
/// The drift is the slope of the level as it would be if nothing were done about it, over the last
/// minute, by a line that single bursts do not move (`RobustLine`). An echo canceller that listens
/// follows a rate that stays, and not one that wanders: so the drift is taken anew only when it is
/// clearly another, and a level is left alone until it is well off, and then brought back evenly.
public struct RateController: ~Copyable {
  /// In parts per million: no two crystals differ by more, and what says so is no drift.
  public static let largestDrift = 600.0
  /// By how much a level that is off is brought back, in parts per million.
  public static let correction = 60.0
  /// From how far off, and until how far, in seconds.
  public static let off = 0.003
  private static let settled = 0.0005
  /// A drift that differs by less is the same: in parts per million, and times its uncertainty.
  private static let leastChange = 10.0
  private static let clearFactor = 4.0
  private static let leastCount = 6
  /// What few points say of how much a level trembles is believed only so many times over, and within
  /// bounds, in seconds: on the sound rig, where threads are late now and then, it is the greatest.
  private static let tremble = (factor: 5.0, least: 0.0003, greatest: 0.0015)
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
    // From where it was, and not along a slope that is not believed yet.
    let expected = line.value(at: time - seconds) + drift * 1e-6 * rate * seconds
    let offset = level + taken - expected
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
    deviation = drift + correction
  }

  private mutating func updateDrift(_ seconds: Double) {
    guard line.count >= Self.leastCount else { return }
    let slope = line.slope / rate * 1e6
    guard abs(slope) <= Self.largestDrift else { return }
    let change = abs(slope - drift)
    if change > max(Self.leastChange, Self.clearFactor * uncertainty(seconds)) { drift = slope }
  }

  /// Of the slope, in parts per million.
  private func uncertainty(_ seconds: Double) -> Double {
    let count = Double(line.count)
    // Of the slope of points that are spread evenly, for each second that they tremble by.
    let spread = (12 / count).squareRoot() / (count * seconds)
    let seen = line.uncertainty / rate
    let (least, greatest) = (Self.tremble.least * spread, Self.tremble.greatest * spread)
    return max(seen, min(greatest, max(least, Self.tremble.factor * seen))) * 1e6
  }

  private mutating func updateCorrection(_ surplus: Double) {
    if correction == 0 {
      if abs(surplus) > Self.off { correction = surplus > 0 ? Self.correction : -Self.correction }
    } else if surplus * correction < Self.settled * Self.correction {
      correction = 0
    }
  }
}
