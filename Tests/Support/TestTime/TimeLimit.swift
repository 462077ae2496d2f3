internal import Synchronization

/// The error of a wait that took too long.
public struct TimeoutError: Error, CustomStringConvertible {
  public let description: String

  public init(_ what: String) { description = "waited in vain for \(what)" }
}

/// Returns the result of `body`, or throws `TimeoutError`. Returns in time even if `body` ignores its
/// cancellation.
public func within<Result: Sendable>(
  _ limit: Duration = .seconds(20), _ what: String = "an operation",
  _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
  let race = Race<Result>()
  let work = Task {
    do {
      race.finish(.success(try await body()))
    } catch {
      race.finish(.failure(error))
    }
  }
  let alarm = Task {
    try await Task.sleep(for: limit)
    race.finish(.failure(TimeoutError("\(what), for \(limit)")))
    work.cancel()
  }
  defer { alarm.cancel() }
  return try await withCheckedThrowingContinuation { race.wait($0) }
}

/// The first of several results, for the task that waits for it.
private final class Race<Success: Sendable>: Sendable {
  private enum State {
    case open
    case awaited(CheckedContinuation<Success, any Error>)
    case won(Result<Success, any Error>)
    case over
  }

  private let state = Mutex(State.open)

  func finish(_ result: Result<Success, any Error>) {
    let waiting = state.withLock { state -> CheckedContinuation<Success, any Error>? in
      switch state {
      case .open:
        state = .won(result)
        return nil
      case .awaited(let continuation):
        state = .over
        return continuation
      case .won, .over:
        return nil
      }
    }
    waiting?.resume(with: result)
  }

  func wait(_ continuation: CheckedContinuation<Success, any Error>) {
    let result = state.withLock { state -> Result<Success, any Error>? in
      if case .won(let result) = state {
        state = .over
        return result
      }
      state = .awaited(continuation)
      return nil
    }
    if let result { continuation.resume(with: result) }
  }
}
