/// How long to wait before the next try: longer each time, and never in step with others ("Exponential
/// Backoff And Jitter", AWS Architecture Blog, 2015: equal jitter).
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

  /// Between a half and the whole of the shortest time doubled with each try, up to the longest.
  public mutating func next(_ generator: inout some RandomNumberGenerator) -> Duration {
    let whole = min(longest, shortest * (1 << min(attempts, 20)))
    attempts += 1
    return whole / 2 + whole / 2 * Double.random(in: 0...1, using: &generator)
  }

  /// It worked.
  public mutating func reset() { attempts = 0 }
}
