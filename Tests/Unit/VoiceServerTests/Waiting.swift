import Testing

/// Waits until a condition is true, for 30 s at most.
func until(
  _ what: String, sourceLocation: SourceLocation = #_sourceLocation,
  _ condition: () async throws -> Bool
) async throws {
  let limit = ContinuousClock.now + .seconds(30)
  while try await !condition() {
    try #require(ContinuousClock.now < limit, "never: \(what)", sourceLocation: sourceLocation)
    try await Task.sleep(for: .milliseconds(10))
  }
}
