public import AnechoicAPI
public import struct Foundation.Data
public import GRPCTransport
internal import SwiftProtobuf

/// A client of one server.
public final class VoiceProcessingClient: Sendable {
  /// The health of a service, as grpc.health.v1 reports it.
  public typealias ServingStatus = Grpc_Health_V1_HealthCheckResponse.ServingStatus

  private let connection: Connection

  /// Creates a client. It connects with the first call.
  ///
  /// - Parameters:
  ///   - server: `HOST:PORT` or `unix:PATH`.
  ///   - clientName: The owner of the client's sessions. Printable ASCII. Nil leaves the name to
  ///     the server. A server that verifies clients ignores the name.
  ///   - security: Plaintext or TLS.
  ///   - credentials: The source of the token that each call presents. Nil sends no token.
  public init(
    server: String, clientName: String? = nil, security: ChannelSecurity = .plaintext,
    credentials: (any CredentialsProvider)? = nil
  ) {
    connection = Connection(
      server: server, clientName: clientName, security: security, credentials: credentials)
  }

  private init(_ connection: Connection) { self.connection = connection }

  /// Returns a client of the same server with a connection of its own.
  public func reconnected() -> VoiceProcessingClient { VoiceProcessingClient(connection.renewed()) }

  /// Starts a session that survives the loss of its connection. Throws the `Status` of a server that
  /// refuses it.
  ///
  /// - Parameters:
  ///   - start: The formats and settings of the session.
  ///   - others: The servers on which a new session starts if this one is gone.
  ///   - policy: The limits within which the session is got back.
  public func processResumably(
    _ start: Anechoic_V1_Start, elsewhere others: [VoiceProcessingClient] = [],
    policy: ReconnectionPolicy = ReconnectionPolicy()
  ) async throws -> ResumableStream {
    try await ResumableStream([self] + others, start, policy)
  }

  /// Starts or resumes a session. Chooses the id of a new one if `start` has none, because proxies
  /// choose a server by the id.
  /// Throws the `Status` of a server that refuses the session.
  public func process(_ start: Anechoic_V1_Start) async throws -> ProcessStream {
    var start = start
    if start.sessionID.isEmpty, start.resumeToken.isEmpty { start.sessionID = Identifier.random() }
    return try await ProcessStream(
      try connection.call(
        Method(service: RPC.voiceProcessing, name: RPC.process), session: start.sessionID), start)
  }

  /// Plays the playback of a session whose microphone is on another device.
  ///
  /// - Parameters:
  ///   - token: `Started.joinToken` of the session.
  ///   - session: The id of the session, by which proxies choose a server.
  public func join(token: Data, session: String) async throws -> PlaybackStream {
    try await PlaybackStream(
      connection.serverStreaming(
        Method(service: RPC.voiceProcessing, name: RPC.joinSession),
        Anechoic_V1_JoinSessionRequest.with { $0.token = token }, session: session))
  }

  /// Returns the version, the engines and the limits of the server. A server measures its engines at the
  /// first request, which takes seconds on a busy machine.
  public func capabilities(
    timeout: Duration = .seconds(30)
  ) async throws -> Anechoic_V1_GetCapabilitiesResponse {
    try await connection.unary(
      Method(service: RPC.voiceProcessing, name: RPC.getCapabilities),
      Anechoic_V1_GetCapabilitiesRequest(), timeout: timeout)
  }

  /// Returns the health of a service. `service` is a full name, or "" for the whole server.
  public func health(
    of service: String = "", timeout: Duration = .seconds(5)
  ) async throws -> ServingStatus {
    let response: Grpc_Health_V1_HealthCheckResponse = try await connection.unary(
      Method(service: RPC.health, name: RPC.check),
      Grpc_Health_V1_HealthCheckRequest.with { $0.service = service }, timeout: timeout)
    return response.status
  }
}
