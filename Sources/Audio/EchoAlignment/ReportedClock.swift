public import AudioCore

/// The clock of a sound device, measured by the times that the device reports for its samples.
/// Times come from outside. Those that jump, run backwards or are wrong are not believed.
public struct ReportedClock: ~Copyable {
  /// Times whose rate is further from the nominal one than this, in parts per million, are not
  /// believed: no sound device is. A tenth more than the largest drift, as a measured rate is not
  /// exact.
  public static let largestDeviation = 1100.0
  /// The least distance of the points of the line, in seconds.
  private static let spacing = 1.0
  private static let points = 32
  /// The distance of a time from the line, in seconds, from which it is an outlier.
  private static let tolerance = 0.02
  /// The number of successive outliers that agree which make a jump: the device was stopped in
  /// between.
  private static let outliersToJump = 3
  /// The cost of a time that is not believed, the largest sum of costs, and the sum that is too
  /// much.
  private static let distrust = (cost: 4, most: 100, tooMuch: 20)
  /// The seconds after which a jump is forgotten, the largest number of jumps that count, and the
  /// number from which the next jump is not believed.
  private static let restlessness = (memory: 5.0, most: 2.2, tooMuch: 2.0)
  private static let leastPoints = 6
  /// The uncertainty in parts per million from which the deviation is unknown.
  private static let leastCertainty = 100.0

  /// The number of jumps of the device's time.
  public private(set) var jumpCount = 0
  /// The samples by which the client has reported that the sound is heard later than at first.
  private(set) var addedSamples: Int64 = 0
  /// The client's own compensation. The line describes the clock without it.
  private(set) var compensation = Compensation()
  private let rate: Double
  private var line = RobustLine(capacity: points)
  private var lastSample = Int64.min
  private var lastKept = -Double.infinity
  private var outliers = 0
  private var outlierOffset = 0.0
  private var distrust = 0
  private var restlessness = 0.0
  private var lastCalmed = 0.0  // the nominal time in seconds

  public init(rate: SampleRate) { self.rate = Double(rate.hertz) }

  /// The rate at which the device is faster than its nominal rate, in parts per million, including
  /// the client's compensation; nil when unknown.
  public var deviation: Double? {
    guard line.count >= Self.leastPoints, uncertainty <= Self.leastCertainty,
      abs(line.slope) * 1e6 <= Self.largestDeviation
    else { return nil }
    return compensation.rate - line.slope * 1e6
  }

  /// Whether no time has been reported yet.
  var isEmpty: Bool { lastSample == .min }

  /// The standard error of the deviation, in parts per million.
  public var uncertainty: Double { line.uncertainty * 1e6 }

  /// Whether the time jumps too often for a jump to be believed.
  var isRestless: Bool { restlessness >= Self.restlessness.tooMuch }

  /// Whether the times contradict each other, or imply a rate that no device has.
  public var isUntrusted: Bool {
    isRestless || distrust > Self.distrust.tooMuch
      || line.count >= Self.leastPoints && abs(line.slope) * 1e6 > Self.largestDeviation
  }

  /// Forgets every time, for example when another device is used from now on.
  mutating func forget() {
    line.forget()
    jumpCount = 0
    addedSamples = 0
    compensation = Compensation()
    (lastSample, lastKept) = (.min, -.infinity)
    (outliers, outlierOffset) = (0, 0)
    (distrust, restlessness, lastCalmed) = (0, 0, 0)
  }

  /// Records the time at which a sample was heard or captured, by a clock with any zero.
  ///
  /// - Parameters:
  ///   - added: The samples of silence that the client has inserted since the last report, or, if
  ///     negative, the samples that it has left out.
  ///   - compensated: The rate at which the client plays faster than its clock from this sample on,
  ///     in parts per million.
  /// - Returns: Whether the time was believed.
  @discardableResult
  public mutating func record(
    sample: Int64, at deviceTime: Duration, added: Int64 = 0, rate compensated: Double = 0
  ) -> Bool {
    let (seconds, attoseconds) = deviceTime.components
    let time = Double(seconds) + Double(attoseconds) * 1e-18
    let nominal = Double(sample) / rate
    // The client knows its rate, even if its times are wrong.
    if isEmpty {
      compensation = Compensation(rate: compensated)
    } else if sample > lastSample {
      compensation.change(to: compensated, at: nominal)
    }
    let offset = time - nominal + compensation.excess(at: nominal)
    guard sample > lastSample else {
      countOutlier(sample, offset)
      return false
    }
    if line.count > 0 {
      let gap = Double(added) / rate
      if added != 0, isNear(offset - gap, at: nominal) {
        line.shift(by: gap)
        addedSamples += added
      } else if !isNear(offset, at: nominal) {
        countOutlier(sample, offset)
        return false
      }
    }
    outliers = 0
    distrust = max(0, distrust - 1)
    calm(until: nominal)
    lastSample = sample
    guard nominal - lastKept >= Self.spacing else { return true }
    lastKept = nominal
    line.add(nominal, offset)
    return true
  }

  /// Returns the device's time of a sample minus its time by the nominal rate, in seconds, or nil
  /// before the first time.
  func offset(ofSample sample: Int64) -> Double? {
    let nominal = Double(sample) / rate
    return line.count > 0 ? line.value(at: nominal) - compensation.excess(at: nominal) : nil
  }

  private func isNear(_ offset: Double, at nominal: Double) -> Bool {
    let steepest = Self.largestDeviation * 1e-6 * (nominal - lastKept)
    return abs(offset - line.value(at: nominal)) <= Self.tolerance + steepest
  }

  private mutating func calm(until nominal: Double) {
    restlessness = max(0, restlessness - max(0, nominal - lastCalmed) / Self.restlessness.memory)
    lastCalmed = nominal
  }

  /// Counts an outlier. Enough outliers that agree are a jump.
  private mutating func countOutlier(_ sample: Int64, _ offset: Double) {
    distrust = min(Self.distrust.most, distrust + Self.distrust.cost)
    let agrees = outliers > 0 && abs(offset - outlierOffset) <= Self.tolerance
    outliers = agrees ? outliers + 1 : 1
    outlierOffset = offset
    guard outliers >= Self.outliersToJump else { return }
    outliers = 0
    jumpCount += 1
    let nominal = Double(sample) / rate
    calm(until: nominal)
    restlessness = min(Self.restlessness.most, restlessness + 1)
    if sample > lastSample {
      // The offset has changed, and the rate has not.
      line.shift(by: offset - line.value(at: nominal))
    } else {
      line.forget()
    }
    lastKept = nominal
    line.add(nominal, offset)
    lastSample = sample
  }
}

/// The rate at which a client plays faster than its own clock, to compensate a drift by itself. The
/// rate changes now and then, at a sample. The clock does not.
struct Compensation {
  /// The rate since the last change, in parts per million.
  private(set) var rate: Double
  private var lastRate: Double
  private var changed = 0.0  // the time of the last change, in seconds of the playback
  private var excess = 0.0  // at the last change, in seconds

  init(rate: Double = 0) { (self.rate, lastRate) = (rate, rate) }

  mutating func change(to rate: Double, at seconds: Double) {
    guard rate != self.rate, seconds >= changed else { return }
    excess = excess(at: seconds)
    lastRate = self.rate
    changed = seconds
    self.rate = rate
  }

  /// Returns by how many seconds the sound is heard earlier than by the clock alone.
  func excess(at seconds: Double) -> Double {
    excess + (seconds - changed) * 1e-6 * (seconds < changed ? lastRate : rate)
  }
}
