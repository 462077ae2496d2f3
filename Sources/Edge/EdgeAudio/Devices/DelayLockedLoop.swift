/// A filter for the times of samples. A thread wakes up when a buffer is ready, and this moment
/// varies by milliseconds. The loop smooths it. A second-order loop after F. Adriaensen, "Using a
/// DLL to filter time" (Linux Audio Conference, 2005). Times are in seconds of any clock.
public struct DelayLockedLoop {
  /// The bandwidth of the loop in Hz. Faster jitter is smoothed.
  public static let bandwidth = 0.1
  /// The bandwidth in Hz of a loop that has just started, so that it settles soon.
  private static let firstBandwidth = 2.0

  private let nominal: Double  // Seconds for each sample.
  private var samplePeriod: Double
  private var time = 0.0
  private var count: Int64 = 0  // The number of samples up to `time`.
  private var age = 0.0  // Seconds since the last restart.
  private var isRunning = false

  public init(rate: Double) {
    nominal = 1 / rate
    samplePeriod = nominal
  }

  /// The estimated rate, in samples a second.
  public var rate: Double { 1 / samplePeriod }

  /// Advances the loop by `samples` samples, which arrived at `now`.
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

  /// Returns by how many seconds `samples` more samples are later than expected if they arrive at
  /// `now`.
  public func error(of samples: Int, now: Double) -> Double {
    isRunning ? now - (time + Double(samples) * samplePeriod) : 0
  }

  /// Returns the time of the sample with this index, counted from the first sample that arrived.
  public func time(of index: Int64) -> Double {
    time + Double(index - count) * samplePeriod
  }

  /// The number of samples that have arrived.
  public var sampleCount: Int64 { count }

  /// Restarts the loop with the next update. The loop keeps its estimate of the rate.
  public mutating func restart() {
    isRunning = false
    age = 0
  }
}
