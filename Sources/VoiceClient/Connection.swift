internal import AnechoicAPI
internal import Foundation
internal import GRPCTransport
internal import SwiftProtobuf

/// The way to one server, and what its client is called there.
struct Connection: Sendable {
  private let channel: Channel
  private let metadata: Metadata

  /// Nothing is connected before the first call.
  init(server: String, clientName: String?, security: ChannelSecurity) {
    var options = ConnectionOptions()
    options.keepaliveTime = .seconds(20)
    options.keepaliveTimeout = .seconds(10)
    channel = Channel(target: server, options: options, security: security)
    var metadata = Metadata()
    if let clientName { metadata.append(RPC.clientName, clientName) }
    self.metadata = metadata
  }

  /// One message out, one message back. Throws the `Status` of a call that failed.
  func unary<Request: Message, Response: Message>(
    _ method: Method, _ request: Request, timeout: Duration?
  ) async throws -> Response {
    let response = try await channel.unary(
      method, request.serializedBytes(), metadata: metadata, timeout: timeout)
    return try Response(serializedBytes: response)
  }

  /// One message out; the answers are what the call then receives.
  func serverStreaming(_ method: Method, _ request: some Message) async throws -> ClientCall {
    try await channel.serverStreaming(method, request.serializedBytes(), metadata: metadata)
  }

  /// Starts a call of any shape.
  func call(_ method: Method) -> ClientCall { channel.call(method, metadata: metadata) }
}

extension ClientCall {
  /// The next message; nil once the call has ended with OK. Throws any other `Status`.
  func receive<Response: Message>(_: Response.Type) async throws -> Response? {
    try await receive().map { try Response(serializedBytes: Data($0)) }
  }
}
