/// Lets a burst of things happen, and then so many in a second.
struct TokenBucket {
  private var burst: Double
  private var perSecond: Double
  private var left: Double
  private var filled: ContinuousClock.Instant?

  init(burst: Double, perSecond: Double) {
    self.burst = burst
    self.perSecond = perSecond
    left = burst
  }

  /// Counts one more thing. Returns whether it may happen now.
  mutating func take(now: ContinuousClock.Instant) -> Bool {
    fill(now: now)
    guard left >= 1 else { return false }
    left -= 1
    return true
  }

  /// Counts a thing that happens in any case. The debt is a burst at most.
  mutating func charge(now: ContinuousClock.Instant) {
    fill(now: now)
    left = max(left - 1, -burst)
  }

  /// Lets so many things happen in a second from now on, and as many at once.
  mutating func setRate(_ rate: Double, now: ContinuousClock.Instant) {
    fill(now: now)
    burst = rate
    perSecond = rate
    left = min(left, burst)
  }

  private mutating func fill(now: ContinuousClock.Instant) {
    if let filled { left = min(burst, left + (now - filled) / .seconds(1) * perSecond) }
    filled = now
  }
}
