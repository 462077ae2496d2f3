internal import Synchronization

/// An answer that one task waits for. Only the first answer counts.
final class Reply<Answer: Sendable>: Sendable {
  private enum State {
    case empty
    case awaited(CheckedContinuation<Answer, any Error>)
    case given(Result<Answer, any Error>)
    case over
  }

  private let state = Mutex(State.empty)

  func give(_ result: Result<Answer, any Error>) { _ = counts(giving: result) }

  /// Gives an answer. Returns false if it does not count, because there was one before or because
  /// the task that waited was cancelled.
  func counts(giving result: Result<Answer, any Error>) -> Bool {
    var counts = true
    let continuation = state.withLock { state -> CheckedContinuation<Answer, any Error>? in
      switch state {
      case .empty:
        state = .given(result)
        return nil
      case .awaited(let continuation):
        state = .over
        return continuation
      case .given, .over:
        counts = false
        return nil
      }
    }
    continuation?.resume(with: result)
    return counts
  }

  /// Whether an answer has been given, or the task that waited was cancelled.
  var isOver: Bool {
    state.withLock { state in
      switch state {
      case .empty, .awaited: false
      case .given, .over: true
      }
    }
  }

  /// Waits for the answer. Call this once.
  func value() async throws -> Answer {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result = state.withLock { state -> Result<Answer, any Error>? in
          if case .given(let result) = state {
            state = .over
            return result
          }
          state = .awaited(continuation)
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      give(.failure(CancellationError()))
    }
  }
}
