internal import GRPCTransport

/// The attempts to reach a server that is away, for a client that never gives up.
package struct Attempts {
  private let policy: ReconnectionPolicy
  private var count = 0
  private var awaySince = ContinuousClock.now

  /// Begins with a server that has just been lost.
  package init(_ policy: ReconnectionPolicy = ReconnectionPolicy()) { self.policy = policy }

  /// Notes that the server is there.
  package mutating func succeeded() { self = Attempts(policy) }

  /// Returns the time to wait before the next attempt. `error` is that of the last one.
  package mutating func next(after error: (any Error)? = nil) -> Duration {
    defer { count += 1 }
    let status = error as? Status
    // Another attempt changes nothing until somebody corrects a setting.
    guard status?.isWorthAnotherAttempt ?? true else { return policy.laterDelay }
    return policy.delay(
      beforeAttempt: count, away: .now - awaySince, atLeast: status?.retryDelay ?? .zero)
  }
}

/// Returns the result of `body`, or throws UNAVAILABLE if it takes longer than `limit`.
package func answer<Answer: Sendable>(
  of server: String, within limit: Duration, _ body: @escaping @Sendable () async throws -> Answer
) async throws -> Answer {
  try await withThrowingTaskGroup(of: Answer.self) { group in
    group.addTask { try await body() }
    group.addTask {
      try await Task.sleep(for: limit)
      throw Status(.unavailable, "the \(server) does not answer")
    }
    defer { group.cancelAll() }
    guard let answer = try await group.next() else { throw CancellationError() }
    return answer
  }
}
