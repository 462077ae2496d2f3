public import Testing

/// Waits until a condition is met, and fails after the limit. A test that can wait for an event does that
/// instead.
///
/// Tests of modules look again and again only here.
public func eventually(
  _ what: String, within limit: Duration = .seconds(30),
  sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool
) async throws {
  let end = ContinuousClock.now + limit
  while try await !condition() {
    try #require(ContinuousClock.now < end, "never: \(what)", sourceLocation: sourceLocation)
    try await Task.sleep(for: .milliseconds(3))
  }
}

/// Waits until a value has not changed for a while, and returns it. For something that stops without an
/// event, such as a sender that is held back.
public func settled<Value: Equatable>(
  _ what: String, for pause: Duration = .milliseconds(200),
  sourceLocation: SourceLocation = #_sourceLocation, _ value: () async throws -> Value
) async throws -> Value {
  var last = try await value()
  var since = ContinuousClock.now
  try await eventually("\(what) stands still", sourceLocation: sourceLocation) {
    let new = try await value()
    if new != last { (last, since) = (new, .now) }
    return .now - since >= pause
  }
  return last
}

/// Expects that a condition is met for a time: that something does not happen.
public func remains(
  _ what: String, for time: Duration, sourceLocation: SourceLocation = #_sourceLocation,
  _ condition: () async throws -> Bool
) async throws {
  let end = ContinuousClock.now + time
  try await eventually(
    "\(what) for \(time)", within: .seconds(30) + time, sourceLocation: sourceLocation
  ) {
    let isMet = try await condition()
    try #require(isMet, "no longer \(what)", sourceLocation: sourceLocation)
    return .now >= end
  }
}

/// Waits until the task is cancelled, and throws `CancellationError`, as work that never ends by itself.
public func untilCancelled() async throws {
  let (nothing, continuation) = AsyncStream.makeStream(of: Void.self)
  for await _ in nothing {}
  withExtendedLifetime(continuation) {}
  throw CancellationError()
}
