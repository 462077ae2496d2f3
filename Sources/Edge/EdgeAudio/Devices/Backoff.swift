/// The delay before the next attempt. The delay grows with each attempt and is random, so that
/// clients do not retry in step ("Exponential Backoff And Jitter", AWS Architecture Blog, 2015:
/// equal jitter).
public struct Backoff: Sendable {
  public let shortest: Duration
  public let longest: Duration
  private var attempts = 0

  public init(from shortest: Duration, to longest: Duration) {
    self.shortest = shortest
    self.longest = longest
  }

  public mutating func next() -> Duration {
    var generator = SystemRandomNumberGenerator()
    return next(&generator)
  }

  /// Returns the next delay: the shortest delay, doubled with each attempt up to the longest, of
  /// which a random part between one half and the whole is used.
  public mutating func next(_ generator: inout some RandomNumberGenerator) -> Duration {
    let whole = min(longest, shortest * (1 << min(attempts, 20)))
    attempts += 1
    return whole / 2 + whole / 2 * Double.random(in: 0...1, using: &generator)
  }

  /// Resets the delay after a success.
  public mutating func reset() { attempts = 0 }
}
