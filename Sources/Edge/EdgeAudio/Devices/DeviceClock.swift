/// The clock of a device: smoothed times for its samples, and a limit on how early samples may come.
///
/// A device without a clock, such as ALSA's `null`, transfers samples as fast as it is asked to. The
/// limit keeps such a device to real time. It does not affect a device with a crystal. Times are in
/// seconds of a monotonic clock.
public struct DeviceClock {
  /// The largest deviation of a crystal, as a part of its rate.
  private static let largestDeviation = 0.001
  /// The time by which samples may be ahead of real time since the clock started. It covers the
  /// lateness of threads and of devices.
  private static let largestLead = 0.2
  /// The time for which no deviation is granted to a device that was ahead of real time. A device
  /// without a clock is ahead after every transfer, and so keeps exactly to real time.
  private static let suspicion = 10.0

  private let rate: Double
  private let largestEarliness: Double
  private var loop: DelayLockedLoop
  private var lead = 0.0
  private var lastTime: Double?
  private var lastAhead: Double?

  /// Creates a clock for a nominal rate in Hz. Samples are refused if they come `largestEarliness`
  /// before their smoothed time.
  public init(rate: Double, largestEarliness: Double) {
    self.rate = rate
    self.largestEarliness = largestEarliness
    loop = DelayLockedLoop(rate: rate)
  }

  /// Advances the clock by samples that are transferred at `now`. Runs per frame: no allocation,
  /// lock, log or await.
  ///
  /// - Returns: False if the samples come too early. The clock then does not advance.
  public mutating func accept(_ samples: Int, now: Double) -> Bool {
    guard isInTime(now), loop.error(of: samples, now: now) >= -largestEarliness else {
      return false
    }
    lead += Double(samples) / rate
    loop.update(samples: samples, now: now)
    return true
  }

  /// Returns the smoothed time of the sample with this index.
  public func time(of index: Int64) -> Double { loop.time(of: index) }

  /// The number of samples that were accepted.
  public var sampleCount: Int64 { loop.sampleCount }

  /// Restarts the clock with the next samples. The clock keeps its estimate of the rate.
  public mutating func restart() {
    loop.restart()
    lead = 0
    lastTime = nil
    lastAhead = nil
  }

  /// Updates the lead over real time.
  private mutating func isInTime(_ now: Double) -> Bool {
    let isSuspect = lastAhead.map { now - $0 < Self.suspicion } ?? false
    let elapsed = now - (lastTime ?? now)
    lead = max(0, lead - elapsed * (isSuspect ? 1 : 1 + Self.largestDeviation))
    lastTime = now
    guard lead > Self.largestLead else { return true }
    lastAhead = now
    return false
  }
}
