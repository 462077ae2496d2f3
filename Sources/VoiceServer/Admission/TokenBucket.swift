/// Lets a burst of things happen, and then so many in a second.
struct TokenBucket {
  private let burst: Double
  private let perSecond: Double
  private var left: Double
  private var filled: ContinuousClock.Instant?

  init(burst: Double, perSecond: Double) {
    self.burst = burst
    self.perSecond = perSecond
    left = burst
  }

  /// Whether one more may happen now.
  mutating func take(now: ContinuousClock.Instant) -> Bool {
    if let filled { left = min(burst, left + (now - filled) / .seconds(1) * perSecond) }
    filled = now
    guard left >= 1 else { return false }
    left -= 1
    return true
  }
}
