public import AnechoicAPI
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
  ///     the server.
  public init(
    server: String, clientName: String? = nil, security: ChannelSecurity = .plaintext
  ) {
    connection = Connection(server: server, clientName: clientName, security: security)
  }

  /// Starts a session. Throws the `Status` of a server that refuses it.
  public func process(_ start: Anechoic_V1_Start) async throws -> ProcessStream {
    try await ProcessStream(
      connection.call(Method(service: RPC.voiceProcessing, name: RPC.process)), start)
  }

  public func capabilities(
    timeout: Duration = .seconds(5)
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
