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

  /// Sends a message, and returns when the message has left.
  ///
  /// Throws `CancellationError` once the client is gone, and `CallMisuseError.secondWriter` while another
  /// task sends a message.
  public func send(_ message: [UInt8]) async throws {
    try await withCheckedThrowingContinuation { continuation in
      let refusal = state.withLock { state -> (any Error)? in
        switch state {
        case .idle:
          state = .writing(continuation)
          return nil
        case .writing: return CallMisuseError.secondWriter
        case .closed: return CancellationError()
        }
      }
      if let refusal {
        continuation.resume(throwing: refusal)
      } else {
        write(message)
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
