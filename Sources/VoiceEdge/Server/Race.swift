internal import GRPCTransport

/// The first to end decides; the others are cancelled, and waited for.
func race<Result: Sendable>(
  _ bodies: (@Sendable () async throws -> Result)...
) async throws -> Result {
  try await withThrowingTaskGroup(of: Result.self) { group in
    for body in bodies { group.addTask { try await body() } }
    defer { group.cancelAll() }
    guard let first = try await group.next() else { throw CancellationError() }
    return first
  }
}

/// Runs `body`, which has to heed cancellation, and throws a `Status` of that code where it takes longer.
func withTimeout<Result: Sendable>(
  _ limit: Duration, _ code: StatusCode = .deadlineExceeded,
  _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
  try await race(
    body,
    {
      try await Task.sleep(for: limit)
      throw Status(code, "the server does not answer")
    })
}
