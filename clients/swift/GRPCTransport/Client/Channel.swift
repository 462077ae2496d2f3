internal import CGRPC

/// A connection to a server. It is established when a call first needs it, and again after a loss.
public final class Channel: Sendable {
  private let channel: ChannelPointer

  /// Creates a channel to `HOST:PORT` or `unix:PATH`. Nothing is connected before the first call.
  public init(
    target: String, options: ConnectionOptions = ConnectionOptions(),
    security: ChannelSecurity = .plaintext
  ) {
    channel = ChannelPointer(
      channel: security.withC { cgrpc_channel_create(target, options.c, $0) })
  }

  deinit { cgrpc_channel_destroy(channel.channel) }

  /// Starts a call of any shape.
  public func call(
    _ method: Method, metadata: Metadata = Metadata(), timeout: Duration? = nil
  ) -> ClientCall {
    ClientCall(self, method, metadata, timeout)
  }

  /// Sends one message and returns the one answer. Throws the `Status` of a call that failed.
  public func unary(
    _ method: Method, _ request: [UInt8], metadata: Metadata = Metadata(),
    timeout: Duration? = nil
  ) async throws -> [UInt8] {
    let call = call(method, metadata: metadata, timeout: timeout)
    try await call.send(request)
    call.halfClose()
    guard let response = try await call.receive() else {
      throw Status(.internal, "\(method) ended without a response")
    }
    _ = try await call.receive()
    return response
  }

  /// Sends one message. `ClientCall.receive()` then returns the answers.
  public func serverStreaming(
    _ method: Method, _ request: [UInt8], metadata: Metadata = Metadata(),
    timeout: Duration? = nil
  ) async throws -> ClientCall {
    let call = call(method, metadata: metadata, timeout: timeout)
    try await call.send(request)
    call.halfClose()
    return call
  }

  func start(
    _ method: Method, _ metadata: Metadata, _ timeout: Duration?,
    context: UnsafeMutableRawPointer
  ) -> OpaquePointer {
    metadata.withC { metadata in
      cgrpc_client_call_start(
        channel.channel, ClientQueue.shared.queue, method.path, metadata,
        timeout?.nanoseconds ?? Int64.max, .swift, context)
    }
  }
}

/// A pointer to a C channel, which may be used from any thread.
private struct ChannelPointer: @unchecked Sendable {
  let channel: OpaquePointer
}

/// The queue of all client calls of this process, and its one thread.
private struct ClientQueue: @unchecked Sendable {
  static let shared = ClientQueue(queue: cgrpc_queue_create("grpc-client", 0, true))

  let queue: OpaquePointer
}
