internal import AnechoicAPI
internal import GRPCTransport
internal import SwiftProtobuf

/// A view of a running agent through its control socket.
struct EdgeProbe: Sendable {
  let channel: Channel

  init(socket: String) { channel = Channel(target: "unix:\(socket)") }

  func status() async throws -> Anechoic_V1_EdgeStatus {
    let bytes = try await channel.unary(
      Method(service: RPC.edge, name: RPC.getEdgeStatus),
      Anechoic_V1_GetEdgeStatusRequest().serializedBytes(), timeout: .seconds(2))
    return try Anechoic_V1_GetEdgeStatusResponse(serializedBytes: bytes).status
  }

  /// Checks the condition 50 times a second. Returns the time that it took, or nil if the condition
  /// did not become true in time.
  func wait(
    atMost limit: Duration, until condition: (Anechoic_V1_EdgeStatus) -> Bool
  ) async -> Duration? {
    let start = ContinuousClock.now
    while ContinuousClock.now - start < limit {
      if let status = try? await status(), condition(status) { return .now - start }
      try? await Task.sleep(for: .milliseconds(20))
    }
    return nil
  }
}
