/// A limit on events: a burst at once, and then a number in each second.
package struct TokenBucket {
  private var burst: Double
  private var perSecond: Double
  private var left: Double
  private var filled: ContinuousClock.Instant?

  package init(burst: Double, perSecond: Double) {
    self.burst = burst
    self.perSecond = perSecond
    left = burst
  }

  /// Counts an event. Returns false, and does not count the event, if it exceeds the limit.
  package mutating func take(now: ContinuousClock.Instant) -> Bool {
    fill(now: now)
    guard left >= 1 else { return false }
    left -= 1
    return true
  }

  /// Counts an event that happens in any case. The debt grows to one burst at most.
  package mutating func charge(now: ContinuousClock.Instant) {
    fill(now: now)
    left = max(left - 1, -burst)
  }

  /// Changes the number of events in a second and at once.
  package mutating func setRate(_ rate: Double, now: ContinuousClock.Instant) {
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
