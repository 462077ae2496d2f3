package import GRPCTransport

/// Runs all bodies. Returns or throws with the first one to end, after the others have been
/// cancelled and have ended.
package func race<Result: Sendable>(
  _ bodies: (@Sendable () async throws -> Result)...
) async throws -> Result {
  try await withThrowingTaskGroup(of: Result.self) { group in
    for body in bodies { group.addTask { try await body() } }
    defer { group.cancelAll() }
    guard let first = try await group.next() else { throw CancellationError() }
    return first
  }
}

/// Returns the result of `body`, which must respond to cancellation. Throws a `Status` with this code if
/// it takes longer than `limit`.
package func answer<Answer: Sendable>(
  of server: String, within limit: Duration, otherwise code: StatusCode = .unavailable,
  _ body: @escaping @Sendable () async throws -> Answer
) async throws -> Answer {
  try await race(
    body,
    {
      try await Task.sleep(for: limit)
      throw Status(code, "the \(server) does not answer")
    })
}
