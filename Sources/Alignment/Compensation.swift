/// By how much faster than its own clock a client plays, which is what it does itself against a drift:
/// it changes now and then, at a sample, while the clock stays what it is.
struct Compensation {
  /// In parts per million, from the last change on.
  private(set) var rate: Double
  private var lastRate: Double
  private var changed = 0.0  // when, in seconds of what was played
  private var excess = 0.0  // until then, in seconds

  init(rate: Double = 0) { (self.rate, lastRate) = (rate, rate) }

  mutating func change(to rate: Double, at seconds: Double) {
    guard rate != self.rate, seconds >= changed else { return }
    excess = excess(at: seconds)
    lastRate = self.rate
    changed = seconds
    self.rate = rate
  }

  /// By how much earlier the sound is heard than the clock alone would have it, in seconds.
  func excess(at seconds: Double) -> Double {
    excess + (seconds - changed) * 1e-6 * (seconds < changed ? lastRate : rate)
  }
}
