internal import AnechoicAPI
internal import Foundation
package import GRPCTransport
internal import SwiftProtobuf
internal import Synchronization

/// The channel to a server, the client's name and its credentials.
struct Connection: Sendable {
  private let server: String
  private let security: ChannelSecurity
  private let channel: Channel
  private let names: Metadata
  private let credentials: (any CredentialsProvider)?
  /// Whether others on the network cannot read the tokens of calls.
  private let keepsSecrets: Bool

  /// Creates a channel. It connects with the first call.
  init(
    server: String, clientName: String?, security: ChannelSecurity,
    credentials: (any CredentialsProvider)?
  ) {
    var names = Metadata()
    if let clientName { names.append(RPC.clientName, clientName) }
    self.init(server, security, names, credentials)
  }

  private init(
    _ server: String, _ security: ChannelSecurity, _ names: Metadata,
    _ credentials: (any CredentialsProvider)?, options: ConnectionOptions = .watched
  ) {
    self.server = server
    self.security = security
    self.names = names
    self.credentials = credentials
    keepsSecrets = security.isEncrypted || ServerAddress(server)?.isLocal == true
    channel = Channel(target: server, options: options, security: security)
  }

  /// Returns a channel with a connection of its own to the same server.
  func renewed() -> Connection {
    Connection(server, security, names, credentials, options: .own())
  }

  /// Returns the headers of a new call. Throws UNAUTHENTICATED if the token cannot be read, or would
  /// be sent in plaintext to another machine.
  private func metadata() throws(Status) -> Metadata {
    guard let credentials else { return names }
    guard keepsSecrets else {
      throw Status(
        .unauthenticated,
        "\(server): a token is not sent without TLS to another machine; use TLS, or connect to a "
          + "loopback address or a unix socket")
    }
    var metadata = names
    metadata.append("authorization", "Bearer \(try credentials.token())")
    return metadata
  }

  /// Sends one message and returns the answer. `session` is the id or the name of the session that the
  /// request names, or nil if it names none. Throws the `Status` of a failed call.
  func unary<Request: Message, Response: Message>(
    _ method: Method, _ request: Request, session: String? = nil, timeout: Duration?
  ) async throws -> Response {
    let response = try await channel.unary(
      method, request.serializedBytes(), metadata: metadata(for: session), timeout: timeout)
    return try Response(serializedBytes: response)
  }

  /// Sends one message. The answers are received from the returned call.
  func serverStreaming(
    _ method: Method, _ request: some Message, session: String?
  ) async throws -> ClientCall {
    try await channel.serverStreaming(
      method, request.serializedBytes(), metadata: metadata(for: session))
  }

  /// Starts a call of any type. Throws the `Status` of credentials that cannot be used.
  func call(
    _ method: Method, session: String?, timeout: Duration? = nil
  ) throws(Status) -> ClientCall {
    channel.call(method, metadata: try metadata(for: session), timeout: timeout)
  }

  /// Returns the headers of a new call, with the id of its session. An invalid id is left out, because
  /// each server refuses it, and because long headers would end the connection.
  private func metadata(for session: String?) throws(Status) -> Metadata {
    var metadata = try metadata()
    guard let session else { return metadata }
    let prefix = "sessions/"
    let id = session.hasPrefix(prefix) ? String(session.dropFirst(prefix.count)) : session
    if Identifier.isValid(id) { metadata.append(RPC.sessionKey, id) }
    return metadata
  }
}

extension ConnectionOptions {
  private static let renewals = Atomic<Int>(0)

  /// Keepalive, which ends a connection that does not answer for 30 s.
  static var watched: Self { keepalive(.seconds(20)) }

  /// Returns keepalive for a channel with a connection of its own.
  ///
  /// A channel that has failed waits before it connects again, and libgrpc shares one connection
  /// between channels with the same target and arguments, even if the network no longer answers.
  /// Therefore each of these channels has another keepalive time, by a few milliseconds.
  package static func own() -> Self {
    let count = renewals.wrappingAdd(1, ordering: .relaxed).newValue
    return keepalive(.seconds(20) + .milliseconds(count % 5000))
  }

  private static func keepalive(_ time: Duration) -> Self {
    var options = Self()
    options.keepaliveTime = time
    options.keepaliveTimeout = .seconds(10)
    return options
  }
}

extension ClientCall {
  /// Returns the next message, or nil once the call has ended with OK. Throws any other `Status`.
  ///
  /// Throws INTERNAL for bytes that are no message, and what `check` throws. The call is then cancelled, before
  /// its owner can half-close it: a server that sees a half-close ends the session, which is not to be continued.
  func receive<Response: Message>(
    _: Response.Type, check: (Response) throws -> Void = { _ in }
  ) async throws -> Response? {
    guard let bytes = try await receive() else { return nil }
    do {
      guard let response = try? Response(serializedBytes: Data(bytes)) else {
        throw Status(.internal, "the server sent bytes that are no message")
      }
      try check(response)
      return response
    } catch {
      cancel()
      throw error
    }
  }
}
