internal import AnechoicAPI
internal import Foundation
internal import GRPCTransport
internal import SwiftProtobuf

/// The channel to a server, and the client's name.
struct Connection: Sendable {
  private let channel: Channel
  private let metadata: Metadata

  /// Creates a channel. It connects with the first call.
  init(server: String, clientName: String?, security: ChannelSecurity) {
    var options = ConnectionOptions()
    options.keepaliveTime = .seconds(20)
    options.keepaliveTimeout = .seconds(10)
    channel = Channel(target: server, options: options, security: security)
    var metadata = Metadata()
    if let clientName { metadata.append(RPC.clientName, clientName) }
    self.metadata = metadata
  }

  /// Sends one message and returns the answer. Throws the `Status` of a failed call.
  func unary<Request: Message, Response: Message>(
    _ method: Method, _ request: Request, timeout: Duration?
  ) async throws -> Response {
    let response = try await channel.unary(
      method, request.serializedBytes(), metadata: metadata, timeout: timeout)
    return try Response(serializedBytes: response)
  }

  /// Sends one message. The answers are received from the returned call.
  func serverStreaming(_ method: Method, _ request: some Message) async throws -> ClientCall {
    try await channel.serverStreaming(method, request.serializedBytes(), metadata: metadata)
  }

  /// Starts a call of any type.
  func call(_ method: Method) -> ClientCall { channel.call(method, metadata: metadata) }
}

extension ClientCall {
  /// Returns the next message, or nil once the call has ended with OK. Throws any other `Status`.
  func receive<Response: Message>(_: Response.Type) async throws -> Response? {
    try await receive().map { try Response(serializedBytes: Data($0)) }
  }
}
