internal import Synchronization

/// A connection whose answer a task makes. The task passes on a part of the answer only when the
/// client has taken the part before, so that a slow client costs no memory.
public final class HTTPExchange: Sendable {
  /// A part of an answer, for the listener.
  struct Part {
    let bytes: [UInt8]
    let isLast: Bool
  }

  private struct State {
    var part: Part?
    /// The task that waits until the client has taken the part.
    var writer: CheckedContinuation<Void, any Error>?
    /// Whether the last part was passed on, or the client has gone.
    var isOver = false
    /// Gets the status of the answer, once.
    var answered: (@Sendable (HTTPStatus) -> Void)?
  }

  private let state: Mutex<State>
  private let wakeListener: @Sendable () -> Void

  init(
    answered: @escaping @Sendable (HTTPStatus) -> Void, wakeListener: @escaping @Sendable () -> Void
  ) {
    state = Mutex(State(answered: answered))
    self.wakeListener = wakeListener
  }

  /// Answers with a complete response, after which the connection ends.
  public func respond(_ response: HTTPResponse) {
    record(response.status)
    pass(Part(bytes: response.bytes(withBody: true), isLast: true))
  }

  /// Begins an answer of unknown length with a head. Returns when the client has taken the head.
  public func begin(_ head: HTTPResponse) async throws {
    record(head.status)
    try await write(bytes: head.openingBytes())
  }

  /// Sends a part of the body. Returns when the client has taken the part. Throws
  /// `CancellationError` if the client has gone or the task is cancelled.
  public func write(_ text: some Collection<UInt8>) async throws {
    try await write(bytes: Array(text))
  }

  private func write(bytes: [UInt8]) async throws {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { writer in
        let isOver = state.withLock { state in
          guard !state.isOver else { return true }
          state.part = Part(bytes: bytes, isLast: false)
          state.writer = writer
          return false
        }
        guard !isOver else { return writer.resume(throwing: CancellationError()) }
        wakeListener()
        // If the task was cancelled before, `onCancel` found no writer to resume.
        if Task.isCancelled { close() }
      }
    } onCancel: {
      close()
    }
  }

  /// Ends the answer after the parts that were sent. Does nothing after `respond`.
  func end() { pass(Part(bytes: [], isLast: true)) }

  /// Returns the next part of the answer, or nil if there is none yet. For the listener.
  func take() -> Part? { state.withLock { $0.part.take() } }

  /// Tells that the client has taken the part. For the listener.
  func taken() { state.withLock { $0.writer.take() }?.resume() }

  /// Tells that the client has gone. For the listener.
  func close() {
    let writer = state.withLock { state in
      state.isOver = true
      return state.writer.take()
    }
    writer?.resume(throwing: CancellationError())
  }

  private func pass(_ part: Part) {
    let counts = state.withLock { state in
      guard !state.isOver else { return false }
      state.isOver = true
      state.part = part
      return true
    }
    if counts { wakeListener() }
  }

  private func record(_ status: HTTPStatus) { state.withLock { $0.answered.take() }?(status) }
}
