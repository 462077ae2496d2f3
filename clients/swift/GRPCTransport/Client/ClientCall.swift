internal import CGRPC

/// A call, as its client sees it. Messages are sent and received one by one, each awaited. Any task
/// may use a call. A call is cancelled when the last reference to it is released.
public final class ClientCall: Sendable {
  /// The channel, which the call needs until its end.
  private let channel: Channel
  private let events: ClientCallEvents

  init(_ channel: Channel, _ method: Method, _ metadata: Metadata, _ timeout: Duration?) {
    self.channel = channel
    events = ClientCallEvents()
    events.start { channel.start(method, metadata, timeout, context: $0) }
  }

  deinit { cancel() }

  /// Sends a message, and returns when the transport has taken it.
  ///
  /// Throws the `Status` of a call that has ended, FAILED_PRECONDITION after the half-close, and
  /// `CallMisuseError.secondWriter` while another task sends a message.
  public func send(_ message: [UInt8]) async throws {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { events.send(message, $0) }
    } onCancel: {
      cancel()
    }
  }

  /// Tells the server that no message follows, once the message being sent has left.
  public func halfClose() { events.halfClose() }

  /// Returns the next message, or nil once the call has ended with OK.
  ///
  /// Throws any other `Status`, and `CallMisuseError.secondReader` while another task waits for a
  /// message.
  public func receive() async throws -> [UInt8]? {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { events.receive($0) }
    } onCancel: {
      cancel()
    }
  }

  /// Ends the call. `send` and `receive` throw CANCELLED.
  public func cancel() { events.cancel() }

  /// The server's headers. Nil before its first message.
  public var initialMetadata: Metadata? { events.initialMetadata }

  /// The server's trailers. Empty before the end of the call.
  public var trailers: Metadata { events.trailers }
}
