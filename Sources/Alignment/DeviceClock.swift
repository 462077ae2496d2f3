public import AudioCore

/// What the times that a device gives for its samples say of its clock. They come from outside: they
/// may jump, run backwards or lie, and then they are counted and not believed.
public struct DeviceClock: ~Copyable {
  /// Further from its rate, in parts per million, no sound device is: such times lie.
  public static let largestDeviation = 1000.0
  /// Times nearer to each other say no more.
  private static let spacing = 1.0
  private static let points = 32
  /// What a time may be off the line, in seconds, before it counts as an outlier.
  private static let tolerance = 0.02
  /// So many outliers one after another are a new line: the device was stopped in between.
  private static let outliersToRestart = 5
  private static let leastPoints = 6
  /// In parts per million; a clock known worse than this is not known.
  private static let leastCertainty = 100.0

  /// Times that were not believed.
  public private(set) var rejectedCount = 0
  /// How many times the device's time was somewhere else from then on.
  public private(set) var jumpCount = 0
  private let rate: Double
  private var line = RobustLine(capacity: points)
  private var lastSample = Int64.min
  private var lastTime = -Double.infinity
  private var lastKept = -Double.infinity
  private var outliers = 0

  public init(rate: SampleRate) { self.rate = Double(rate.hertz) }

  /// How much faster than its rate the clock is, in parts per million; nil when that is not known.
  public var deviation: Double? {
    guard line.count >= Self.leastPoints, uncertainty <= Self.leastCertainty,
      abs(line.slope) * 1e6 <= Self.largestDeviation
    else { return nil }
    return -line.slope * 1e6
  }

  /// Of the deviation, in parts per million.
  public var uncertainty: Double { line.uncertainty * 1e6 }

  /// Takes in that a sample was heard at a time of the device, which has any zero. Returns whether
  /// it was believed.
  @discardableResult
  public mutating func note(sample: Int64, at deviceTime: Duration) -> Bool {
    let (seconds, attoseconds) = deviceTime.components
    let time = Double(seconds) + Double(attoseconds) * 1e-18
    guard sample > lastSample, time > lastTime else {
      rejectedCount += 1
      countOutlier(sample, time)
      return false
    }
    let nominal = Double(sample) / rate
    let offset = time - nominal
    if line.count > 0 {
      let steepest = Self.largestDeviation * 1e-6 * (nominal - lastKept)
      guard abs(offset - line.value(at: nominal)) <= Self.tolerance + steepest else {
        rejectedCount += 1
        countOutlier(sample, time)
        return false
      }
    }
    outliers = 0
    (lastSample, lastTime) = (sample, time)
    guard nominal - lastKept >= Self.spacing else { return true }
    lastKept = nominal
    line.add(nominal, offset)
    return true
  }

  /// The device's time of a sample less that by its rate, in seconds; nil before any time came.
  func offset(ofSample sample: Int64) -> Double? {
    line.count >= 2 ? line.value(at: Double(sample) / rate) : nil
  }

  private mutating func countOutlier(_ sample: Int64, _ time: Double) {
    outliers += 1
    guard outliers >= Self.outliersToRestart else { return }
    outliers = 0
    jumpCount += 1
    line.forget()
    (lastSample, lastTime, lastKept) = (sample, time, -.infinity)
  }
}
