internal import GRPCTransport

/// The attempts to reach a server that is away, for a client that never gives up.
package struct Attempts {
  private let policy: ReconnectionPolicy
  private var count = 0
  /// The number of attempts before a session that was lost as soon as it had started.
  private var failures = 0
  /// Whether a session has just ended, which another one may follow at once.
  private var followsSession = false
  private var awaySince = ContinuousClock.now

  /// Starts with a server that has just been lost.
  package init(_ policy: ReconnectionPolicy = ReconnectionPolicy()) { self.policy = policy }

  /// Records that the server answers.
  package mutating func succeeded() { self = Attempts(policy) }

  /// Records the end of a session that began at the given time. After a session that ends at once,
  /// the delays between attempts keep growing.
  package mutating func sessionEnded(since began: ContinuousClock.Instant) {
    if .now - began > ReconnectionPolicy.shortSession { succeeded() }
    (failures, followsSession) = (count, true)
  }

  /// Records that the server answers but will not continue the session. Returns the time to wait
  /// before starting a new one: none, unless the last session was lost as soon as it had started.
  package mutating func resumptionRefused() -> Duration {
    guard failures == 0 else {
      count = failures
      return next()
    }
    succeeded()
    count = 1
    return .zero
  }

  /// Returns the time to wait before the next attempt. `error` is that of the last one.
  package mutating func next(after error: (any Error)? = nil) -> Duration {
    defer { (count, followsSession) = (count + 1, false) }
    let status = error as? Status
    // A server that stops says so, and another one may take its place at once.
    if count == 0, followsSession, status?.isStoppingServer ?? false { return .zero }
    // Another attempt changes nothing until somebody corrects a setting.
    guard status?.isWorthAnotherAttempt ?? true else {
      return ReconnectionPolicy.varied(policy.laterDelay)
    }
    return policy.delay(
      beforeAttempt: count, away: .now - awaySince, atLeast: status?.retryDelay ?? .zero)
  }
}
