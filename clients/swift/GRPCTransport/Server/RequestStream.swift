internal import Synchronization

/// The messages that a client sends to an asynchronous handler, one after another.
///
/// A message is read only when `next()` asks for it, so that HTTP/2's flow control holds the sender
/// back. The loss of the client is noticed without a read.
public final class RequestStream: Sendable {
  private typealias Receiver = CheckedContinuation<[UInt8]?, any Error>

  private enum State {
    case idle
    /// A message has been asked for. The receiver is nil if its `next()` was cancelled.
    case reading(Receiver?)
    /// A message that came after its `next()` was cancelled.
    case unclaimed([UInt8])
    case halfClosed
    case closed
  }

  private let state = Mutex(State.idle)
  private let read: @Sendable () -> Void

  init(read: @escaping @Sendable () -> Void) {
    self.read = read
  }

  /// Returns the next message, or nil after the client's last message.
  ///
  /// Throws `CancellationError` if the client is gone or the task is cancelled. After a cancelled
  /// task, the next `next()` returns the message that was asked for. Throws
  /// `CallMisuseError.secondReader` while another task waits for a message.
  public func next() async throws -> [UInt8]? {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { receiver in
        receive(receiver)
        // If the task was cancelled before, `onCancel` found no receiver to resume.
        if Task.isCancelled { abandon() }
      }
    } onCancel: {
      abandon()
    }
  }

  /// Returns the message of a method that takes exactly one. Throws INVALID_ARGUMENT if there is
  /// none, or more than one.
  func only(of method: Method) async throws -> [UInt8] {
    guard let message = try await next() else {
      throw Status(.invalidArgument, "\(method) takes one request message, got none")
    }
    guard try await next() == nil else {
      throw Status(.invalidArgument, "\(method) takes one request message, got another")
    }
    return message
  }

  func received(_ message: [UInt8]) {
    let receiver = state.withLock { state -> Receiver? in
      guard case .reading(let receiver) = state else { return nil }
      state = receiver == nil ? .unclaimed(message) : .idle
      return receiver
    }
    receiver?.resume(returning: message)
  }

  func halfClosed() {
    let receiver = state.withLock { state -> Receiver? in
      guard case .reading(let receiver) = state else { return nil }
      state = .halfClosed
      return receiver
    }
    receiver?.resume(returning: nil)
  }

  func close() {
    let receiver = state.withLock { state -> Receiver? in
      defer { state = .closed }
      guard case .reading(let receiver) = state else { return nil }
      return receiver
    }
    receiver?.resume(throwing: CancellationError())
  }

  private func receive(_ receiver: Receiver) {
    let (isRead, answer) = state.withLock { state -> (Bool, Result<[UInt8]?, any Error>?) in
      switch state {
      case .idle:
        state = .reading(receiver)
        return (true, nil)
      case .reading(nil):
        state = .reading(receiver)
        return (false, nil)
      case .unclaimed(let message):
        state = .idle
        return (false, .success(message))
      case .halfClosed:
        return (false, .success(nil))
      case .reading:
        return (false, .failure(CallMisuseError.secondReader))
      case .closed:
        return (false, .failure(CancellationError()))
      }
    }
    if let answer { receiver.resume(with: answer) }
    if isRead { read() }
  }

  /// Resumes the task that waits, and keeps its message for the next one.
  private func abandon() {
    let receiver = state.withLock { state -> Receiver? in
      guard case .reading(let receiver) = state else { return nil }
      state = .reading(nil)
      return receiver
    }
    receiver?.resume(throwing: CancellationError())
  }
}
