/// Keeps the level of a buffer between two clocks near its target, by computing how much faster
/// than its own clock the reader must read.
///
/// An echo canceller follows a constant rate better than one that varies. The level is therefore
/// corrected only when it is well off, at a constant rate.
public struct RateController: ~Copyable {
  /// The rate at which a level is corrected, in parts per million.
  public static let correction = 60.0
  /// The errors at which a correction starts and ends, in seconds.
  public static let off = 0.003
  private static let settled = 0.0005
  /// The sudden change of the level, in seconds, that does not count as drift.
  private static let step = 0.0025

  /// The rate at which the reader must be faster than its own clock, in parts per million.
  public private(set) var deviation = 0.0
  private let rate: Double
  private var line: SteppedLine
  private var taken = 0.0  // samples read in addition to the nominal rate
  private var correction = 0.0  // in parts per million

  public init(rate: Double) {
    self.rate = rate
    line = SteppedLine(step: Self.step * rate)
  }

  /// Restarts with an empty buffer.
  public mutating func restart(drift: Double) {
    line.forget()
    (taken, correction) = (0, 0)
    deviation = drift
  }

  /// Records that a number of samples have been skipped.
  public mutating func skipped(_ samples: Double) { taken += samples }

  /// Records the level of the buffer and its target, in samples, a second after the last update,
  /// and the drift (`ArrivalDrift`).
  public mutating func update(level: Double, target: Double, drift: Double) {
    taken += deviation * 1e-6 * rate
    guard line.add(level + taken, along: drift * 1e-6 * rate) else { return }
    let surplus = (line.count > 2 ? line.value - taken : level) - target
    updateCorrection(surplus / rate)
    deviation = drift + correction
  }

  private mutating func updateCorrection(_ surplus: Double) {
    if correction == 0 {
      if abs(surplus) > Self.off { correction = surplus > 0 ? Self.correction : -Self.correction }
    } else if surplus * correction < Self.settled * Self.correction {
      correction = 0
    }
  }
}
