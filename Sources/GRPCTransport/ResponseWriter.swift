internal import Synchronization

/// The messages that an asynchronous handler sends, one after another.
public final class ResponseWriter: Sendable {
  private enum State {
    case idle
    case writing(CheckedContinuation<Void, any Error>)
    case closed
  }

  private let state = Mutex(State.idle)
  private let write: @Sendable ([UInt8]) -> Void

  init(write: @escaping @Sendable ([UInt8]) -> Void) {
    self.write = write
  }

  /// Returns when the message has left. Throws `CancellationError` once the client is gone.
  /// One at a time.
  public func send(_ message: [UInt8]) async throws {
    try await withCheckedThrowingContinuation { continuation in
      let isOpen = state.withLock { state in
        guard case .idle = state else { return false }
        state = .writing(continuation)
        return true
      }
      if isOpen {
        write(message)
      } else {
        continuation.resume(throwing: CancellationError())
      }
    }
  }

  func completed() {
    take(leaving: .idle)?.resume()
  }

  func close() {
    take(leaving: .closed)?.resume(throwing: CancellationError())
  }

  private func take(leaving next: State) -> CheckedContinuation<Void, any Error>? {
    state.withLock { state in
      let previous = state
      if case .closed = previous { return nil }
      state = next
      guard case .writing(let continuation) = previous else { return nil }
      return continuation
    }
  }
}
