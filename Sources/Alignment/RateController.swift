/// Keeps the level of a buffer between two clocks near its target, by computing how much faster
/// than its own clock the reader must read.
///
/// The drift is the slope of the level over the last minute, as it would be without control, by a
/// line that single bursts do not move (`RobustLine`). An echo canceller follows a constant rate
/// better than one that varies. The drift is therefore updated only when it is clearly different,
/// and the level is corrected only when it is well off, at a constant rate.
public struct RateController: ~Copyable {
  /// The largest drift in parts per million. No two crystals differ by more, so a steeper slope is
  /// no drift.
  public static let largestDrift = 600.0
  /// The rate at which a level is corrected, in parts per million.
  public static let correction = 60.0
  /// The errors at which a correction starts and ends, in seconds.
  public static let off = 0.003
  private static let settled = 0.0005
  /// The least change of the drift: in parts per million, and as a multiple of its uncertainty.
  private static let leastChange = 10.0
  private static let clearFactor = 4.0
  private static let leastCount = 6
  /// The jitter of the level, measured from few points, is multiplied by `factor` and limited to
  /// the bounds, in seconds. The greatest is that of the sound rig, where threads are late now and
  /// then.
  private static let tremble = (factor: 5.0, least: 0.0003, greatest: 0.0015)
  /// The sudden change of the level, in seconds, that is no drift. The second in a row is
  /// permanent.
  private static let step = 0.0025

  /// The rate at which the reader must be faster than its own clock, in parts per million.
  public private(set) var deviation = 0.0
  /// The rate at which the writer's clock is faster, in parts per million, as far as it is known.
  public private(set) var drift = 0.0
  private let rate: Double
  private var line = RobustLine(capacity: 60)
  private var taken = 0.0  // samples read in addition to the nominal rate
  private var time = 0.0
  private var correction = 0.0  // in parts per million
  private var isOutlying = false

  public init(rate: Double) { self.rate = rate }

  /// Restarts with an empty buffer and the same clocks.
  public mutating func restart() {
    line.forget()
    (taken, time, correction) = (0, 0, 0)
    isOutlying = false
    deviation = drift
  }

  /// Takes in that a number of samples have been skipped.
  public mutating func skipped(_ samples: Double) { taken += samples }

  /// Takes in the level of the buffer and its target, in samples, `seconds` after the last update.
  public mutating func update(level: Double, target: Double, seconds: Double) {
    taken += deviation * 1e-6 * rate * seconds
    time += seconds
    // From the last level, along the drift that is known, not along a slope that may still be
    // wrong.
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

  /// Returns the uncertainty of the slope, in parts per million.
  private func uncertainty(_ seconds: Double) -> Double {
    let count = Double(line.count)
    // The standard error of the slope of evenly spaced points, for each second of their jitter.
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
