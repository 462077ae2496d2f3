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
