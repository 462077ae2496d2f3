/// Decides when the keys of an address are fetched. Times are those of one clock.
struct KeyFetchSchedule {
  /// The minimum time between fetches for tokens whose key is not known, and the time after which a
  /// failed fetch is repeated.
  static let pause = Duration.seconds(60)
  /// The time after which a failed fetch is repeated as long as there are no keys.
  static let firstPause = Duration.seconds(5)

  /// The age at which keys are fetched again.
  let interval: Duration
  private var hasKeys = false
  private var hasFailed = false
  /// The end of the last fetch.
  private var last: ContinuousClock.Instant?
  /// The beginning of the last fetch for a token whose key was not known.
  private var lastForToken: ContinuousClock.Instant?

  init(interval: Duration) { self.interval = interval }

  /// Returns the time from now to the next fetch.
  func wait(at now: ContinuousClock.Instant) -> Duration {
    guard let last else { return .zero }
    let pause =
      !hasFailed ? interval : hasKeys ? min(Self.pause, interval) : Self.firstPause
    return max(.zero, pause - (now - last))
  }

  /// Returns whether a token whose key is not known may start a fetch, and notes that it does.
  mutating func startForToken(at now: ContinuousClock.Instant) -> Bool {
    guard hasKeys else { return false }
    if let lastForToken, now - lastForToken < Self.pause { return false }
    lastForToken = now
    return true
  }

  /// Notes the end of a fetch.
  mutating func ended(withKeys: Bool, at now: ContinuousClock.Instant) {
    last = now
    hasFailed = !withKeys
    if withKeys { hasKeys = true }
  }
}
