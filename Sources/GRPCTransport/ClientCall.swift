internal import CGRPC
internal import Synchronization

/// A call as its client sees it: messages out and messages in, each one awaited. A call that
/// nobody holds any more is cancelled.
public final class ClientCall: Sendable {
  private let channel: Channel  // kept for as long as the call needs it
  private let events: ClientCallEvents

  init(_ channel: Channel, _ method: Method, _ metadata: Metadata, _ timeout: Duration?) {
    self.channel = channel
    events = ClientCallEvents()
    // The lock keeps the first event from overtaking the pointer.
    events.state.withLock { state in
      state.call = channel.start(
        method, metadata, timeout, context: Unmanaged.passRetained(events).toOpaque())
    }
  }

  deinit { cancel() }

  /// Returns when the message has been handed to the transport. Throws the call's `Status` once it
  /// has ended. One at a time.
  public func send(_ message: [UInt8]) async throws {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: ClientCallEvents.Sender) in
        events.state.withLock { $0.send(message, continuation) }
      }
    } onCancel: {
      cancel()
    }
  }

  /// Says that no message will follow.
  public func halfClose() {
    events.state.withLock { $0.halfClose() }
  }

  /// The next message; nil once the call has ended with OK. Throws any other `Status`.
  /// One at a time.
  public func receive() async throws -> [UInt8]? {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: ClientCallEvents.Receiver) in
        events.state.withLock { $0.receive(continuation) }
      }
    } onCancel: {
      cancel()
    }
  }

  /// Ends the call; what is awaited throws CANCELLED.
  public func cancel() {
    events.state.withLock { state in
      if state.status == nil { cgrpc_client_call_cancel(state.call) }
    }
  }

  /// The server's headers; nil before its first message.
  public var initialMetadata: Metadata? { events.state.withLock { $0.initialMetadata } }

  /// The server's trailers; empty before the end.
  public var trailers: Metadata { events.state.withLock { $0.trailers } }
}
