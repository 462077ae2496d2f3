/// The times of samples, smoothed: when a device's buffers come is when threads are woken, and that
/// wanders by milliseconds. A second-order loop, F. Adriaensen, "Using a DLL to filter time" (Linux
/// Audio Conference, 2005). In seconds and samples; the loop does not know what clock it follows.
public struct DelayLockedLoop {
  /// Of the loop, in Hz: jitter that is quicker is smoothed.
  public static let bandwidth = 0.1
  /// A loop that has just begun is quicker, so that it is near soon.
  private static let firstBandwidth = 2.0

  private let nominal: Double  // seconds a sample
  private var samplePeriod: Double
  private var time = 0.0
  private var count: Int64 = 0  // samples until `time`
  private var age = 0.0  // seconds since the reset
  private var isRunning = false

  public init(rate: Double) {
    nominal = 1 / rate
    samplePeriod = nominal
  }

  /// Samples a second, as far as is known.
  public var rate: Double { 1 / samplePeriod }

  /// `samples` more have come, and it is `now`.
  public mutating func update(samples: Int, now: Double) {
    count += Int64(samples)
    guard isRunning, samples > 0 else {
      if !isRunning { time = now }
      isRunning = true
      return
    }
    let interval = Double(samples) * samplePeriod
    let error = now - (time + interval)
    age += interval
    let omega = 2 * Double.pi * max(Self.bandwidth, Self.firstBandwidth / (1 + 4 * age)) * interval
    time += interval + min(0.5, 2.0.squareRoot() * omega) * error
    let correction = min(0.1, omega * omega) * error / Double(samples)
    samplePeriod = min(max(samplePeriod + correction, nominal * 0.998), nominal * 1.002)
  }

  /// By how much later than expected `samples` more would come `now`.
  public func error(of samples: Int, now: Double) -> Double {
    isRunning ? now - (time + Double(samples) * samplePeriod) : 0
  }

  /// When sample `index`, counted from the first that came, is or was.
  public func time(of index: Int64) -> Double {
    time + Double(index - count) * samplePeriod
  }

  /// So many samples have come.
  public var sampleCount: Int64 { count }

  /// The next update begins anew; the rate that was found stays.
  public mutating func restart() {
    isRunning = false
    age = 0
  }
}
