public import AnechoicAPI
public import GRPCTransport
internal import SwiftProtobuf

/// A server, as a program uses it.
public final class VoiceProcessingClient: Sendable {
  /// Health of a service, as grpc.health.v1 tells it.
  public typealias ServingStatus = Grpc_Health_V1_HealthCheckResponse.ServingStatus

  private let connection: Connection

  /// `server` is `HOST:PORT` or `unix:PATH`. Nothing is connected before the first call.
  /// `clientName`, printable ASCII, is who owns the sessions; nil leaves that to the server.
  public init(
    server: String, clientName: String? = nil, security: ChannelSecurity = .plaintext
  ) {
    connection = Connection(server: server, clientName: clientName, security: security)
  }

  /// Opens a session. Throws the `Status` of a server that refuses it.
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

  /// `service` is a full name, or "" for the server as a whole.
  public func health(
    of service: String = "", timeout: Duration = .seconds(5)
  ) async throws -> ServingStatus {
    let response: Grpc_Health_V1_HealthCheckResponse = try await connection.unary(
      Method(service: RPC.health, name: RPC.check),
      Grpc_Health_V1_HealthCheckRequest.with { $0.service = service }, timeout: timeout)
    return response.status
  }
}
