public import AudioCore

/// What the times that a device gives for its samples say of its clock. They come from outside: they
/// may jump, run backwards or lie, and then they are not believed.
public struct DeviceClock: ~Copyable {
  /// Further from its rate, in parts per million, no sound device is: such times lie.
  public static let largestDeviation = 1000.0
  /// Times nearer to each other say no more.
  private static let spacing = 1.0
  private static let points = 32
  /// What a time may be off the line, in seconds, before it counts as an outlier.
  private static let tolerance = 0.02
  /// So many outliers one after another that agree are a jump: the device was stopped in between.
  private static let outliersToJump = 3
  /// What a time that is not believed costs in trust, and how much of that is too much.
  private static let distrust = (cost: 4, most: 100, tooMuch: 20)
  /// Jumps that nothing explains count until they are forgotten, one in so many seconds; from so
  /// many on, the next is not believed.
  private static let restlessness = (memory: 5.0, most: 2.2, tooMuch: 2.0)
  private static let leastPoints = 6
  /// In parts per million; a clock known worse than this is not known.
  private static let leastCertainty = 100.0

  /// How many times the device's time was somewhere else from then on.
  public private(set) var jumpCount = 0
  /// Samples by which the sound is heard later than at first, as far as the client has said so.
  private(set) var addedSamples: Int64 = 0
  /// What the client does itself; without it the line is that of the clock alone.
  private(set) var compensation = Compensation()
  private let rate: Double
  private var line = RobustLine(capacity: points)
  private var lastSample = Int64.min
  private var lastTime = -Double.infinity
  private var lastKept = -Double.infinity
  private var outliers = 0
  private var outlierOffset = 0.0
  private var distrust = 0
  private var restlessness = 0.0
  private var lastCalmed = 0.0  // the nominal time in seconds

  public init(rate: SampleRate) { self.rate = Double(rate.hertz) }

  /// How much faster than its rate the device runs, what the client adds included, in parts per million;
  /// nil when that is not known.
  public var deviation: Double? {
    guard line.count >= Self.leastPoints, uncertainty <= Self.leastCertainty,
      abs(line.slope) * 1e6 <= Self.largestDeviation
    else { return nil }
    return compensation.rate - line.slope * 1e6
  }

  /// Whether no time came yet.
  var isEmpty: Bool { lastSample == .min }

  /// Of the deviation, in parts per million.
  public var uncertainty: Double { line.uncertainty * 1e6 }

  /// Whether it jumps too often for its jumps to mean anything.
  var isRestless: Bool { restlessness >= Self.restlessness.tooMuch }

  /// Whether its times contradict each other, or say a rate that no device has.
  public var isUntrusted: Bool {
    isRestless || distrust > Self.distrust.tooMuch
      || line.count >= Self.leastPoints && abs(line.slope) * 1e6 > Self.largestDeviation
  }

  /// Forgets every time, as where another device is used from now on.
  mutating func forget() {
    line.forget()
    jumpCount = 0
    addedSamples = 0
    compensation = Compensation()
    (lastSample, lastTime, lastKept) = (.min, -.infinity, -.infinity)
    (outliers, outlierOffset) = (0, 0)
    (distrust, restlessness, lastCalmed) = (0, 0, 0)
  }

  /// Takes in that a sample was heard at a time of the device, which has any zero. By `added` samples it
  /// was heard later than the one before said: silence was put in, or, where it is negative, samples
  /// were left out. By `rate` parts per million faster than by the clock the samples follow from it on.
  /// Returns whether it was believed.
  @discardableResult
  public mutating func note(
    sample: Int64, at deviceTime: Duration, added: Int64 = 0, rate compensated: Double = 0
  ) -> Bool {
    let (seconds, attoseconds) = deviceTime.components
    let time = Double(seconds) + Double(attoseconds) * 1e-18
    let nominal = Double(sample) / rate
    // The client knows its rate, whatever its times are worth.
    if isEmpty {
      compensation = Compensation(rate: compensated)
    } else if sample > lastSample {
      compensation.change(to: compensated, at: nominal)
    }
    let offset = time - nominal + compensation.excess(at: nominal)
    guard sample > lastSample, time > lastTime else {
      countOutlier(sample, time, offset)
      return false
    }
    if line.count > 0 {
      let gap = Double(added) / rate
      if added != 0, isNear(offset - gap, at: nominal) {
        line.shift(by: gap)
        addedSamples += added
      } else if !isNear(offset, at: nominal) {
        countOutlier(sample, time, offset)
        return false
      }
    }
    outliers = 0
    distrust = max(0, distrust - 1)
    calm(until: nominal)
    (lastSample, lastTime) = (sample, time)
    guard nominal - lastKept >= Self.spacing else { return true }
    lastKept = nominal
    line.add(nominal, offset)
    return true
  }

  /// The device's time of a sample less that by its rate, in seconds; nil before any came.
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

  /// Enough that agree with each other say that the device is somewhere else now.
  private mutating func countOutlier(_ sample: Int64, _ time: Double, _ offset: Double) {
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
      // Somewhere else, but as fast as before.
      line.shift(by: offset - line.value(at: nominal))
    } else {
      line.forget()
    }
    lastKept = nominal
    line.add(nominal, offset)
    (lastSample, lastTime) = (sample, time)
  }
}
