public import AnechoicAPI
internal import GRPCTransport
internal import Foundation
internal import SwiftProtobuf

/// A server, as a program uses it.
public final class VoiceProcessingClient: Sendable {
  /// Health of a service, as grpc.health.v1 tells it.
  public typealias ServingStatus = Grpc_Health_V1_HealthCheckResponse.ServingStatus

  private let channel: Channel

  /// `server` is `HOST:PORT` or `unix:PATH`. Nothing is connected before the first call.
  public init(server: String) {
    var options = ConnectionOptions()
    options.keepaliveTime = .seconds(20)
    options.keepaliveTimeout = .seconds(10)
    channel = Channel(target: server, options: options)
  }

  /// Opens a session. Throws the `Status` of a server that refuses it.
  public func process(_ start: Anechoic_V1_Start) async throws -> ProcessStream {
    try await ProcessStream(
      channel.call(Method(service: RPC.voiceProcessing, name: RPC.process)), start)
  }

  public func capabilities(
    timeout: Duration = .seconds(5)
  ) async throws -> Anechoic_V1_GetCapabilitiesResponse {
    let response = try await channel.unary(
      Method(service: RPC.voiceProcessing, name: RPC.getCapabilities), [], timeout: timeout)
    return try .init(serializedBytes: response)
  }

  /// `service` is a full name, or "" for the server as a whole.
  public func health(
    of service: String = "", timeout: Duration = .seconds(5)
  ) async throws -> ServingStatus {
    let request = Grpc_Health_V1_HealthCheckRequest.with { $0.service = service }
    let response = try await channel.unary(
      Method(service: RPC.health, name: RPC.check), request.serializedBytes(), timeout: timeout)
    return try Grpc_Health_V1_HealthCheckResponse(serializedBytes: response).status
  }
}
