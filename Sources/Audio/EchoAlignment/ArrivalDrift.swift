/// The drift between the clock that writes a buffer and the clock that reads it, measured by how
/// many more samples have arrived than the reader's clock has counted. The measurement does not
/// depend on the reader: it finds the drift although the buffer runs dry every few seconds.
///
/// Each second gives one point: the median of the leads of its frames, which does not depend on
/// frames that arrive or are read late. The drift is the slope of a line through the points of a
/// minute that single points do not move (`RobustLine`). An echo canceller follows a constant rate
/// better than one that varies. The drift is therefore updated only when it is clearly different.
public struct ArrivalDrift: ~Copyable {
  /// The largest drift in parts per million. No two crystals differ by more, so a steeper slope is
  /// no drift.
  public static let largestDrift = 600.0
  /// The number of frames in a second.
  private static let second = 100
  /// The least change of the drift: in parts per million, and as a multiple of its uncertainty.
  private static let leastChange = 10.0
  private static let clearFactor = 4.0
  private static let leastCount = 6
  /// The jitter of the lead, measured from few points, is multiplied by `factor` and limited to the
  /// bounds, in seconds. The greatest is that of the sound rig, where threads are late now and
  /// then.
  private static let tremble = (factor: 5.0, least: 0.0003, greatest: 0.0015)
  /// The sudden change of the lead, in seconds, that does not count as drift.
  private static let step = 0.0025

  /// The rate at which the writer's clock is faster, in parts per million, as far as it is known.
  public private(set) var drift = 0.0
  private let rate: Double
  private var line: SteppedLine
  private var leads = MedianWindow(capacity: second)

  public init(rate: Double) {
    self.rate = rate
    line = SteppedLine(step: Self.step * rate)
  }

  /// Records how many samples more than the reader's clock has counted have arrived, once for each
  /// 10 ms. Runs per frame: no allocation, lock, log or await.
  public mutating func record(lead: Double) {
    leads.add(lead)
    if let median = leads.medianWhenFull() { add(lead: median) }
  }

  /// Records that an unknown number of samples were lost, or that the reader's clock stood still.
  /// The clocks are the same.
  public mutating func interrupt() {
    leads.forget()
    line.interrupt()
  }

  /// Records the lead of the next second, in samples.
  public mutating func add(lead: Double) {
    guard line.add(lead, along: drift * 1e-6 * rate), line.count >= Self.leastCount else {
      return
    }
    let slope = line.slope / rate * 1e6
    guard abs(slope) <= Self.largestDrift else { return }
    if abs(slope - drift) > max(Self.leastChange, Self.clearFactor * uncertainty) { drift = slope }
  }

  /// The uncertainty of the slope, in parts per million.
  private var uncertainty: Double {
    let count = Double(line.count)
    // The standard error of the slope of evenly spaced points, for each second of their jitter.
    let spread = (12 / count).squareRoot() / count
    let seen = line.uncertainty / rate
    let (least, greatest) = (Self.tremble.least * spread, Self.tremble.greatest * spread)
    return max(seen, min(greatest, max(least, Self.tremble.factor * seen))) * 1e6
  }
}
