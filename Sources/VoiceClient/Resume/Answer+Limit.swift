internal import GRPCTransport

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
