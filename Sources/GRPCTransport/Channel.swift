internal import CGRPC

/// A connection to a server, made when first needed and again when lost.
public final class Channel: Sendable {
  private let channel: ChannelPointer

  /// `target` is `HOST:PORT` or `unix:PATH`.
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

  /// One message out, one message back. Throws the `Status` of a call that failed.
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

  /// One message out; the answers are what `ClientCall.receive()` then gives.
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

/// libgrpc's channels may be used from any thread.
private struct ChannelPointer: @unchecked Sendable {
  let channel: OpaquePointer
}

/// The one thread that every client call of this process is served by.
private struct ClientQueue: @unchecked Sendable {
  static let shared = ClientQueue(queue: cgrpc_queue_create("grpc-client"))

  let queue: OpaquePointer
}
