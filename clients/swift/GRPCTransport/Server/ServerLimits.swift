internal import CGRPC

/// The limits of a server for its clients. A limit that is nil does not exist.
public struct ServerLimits: Sendable {
  /// The maximum number of open calls on one connection. libgrpc tells clients, which then wait
  /// before they open more calls. A call of a client that does not wait ends with
  /// RESOURCE_EXHAUSTED. All clients of a unix socket count as one connection.
  public var callsPerConnection: Int?
  /// The maximum number of calls that wait for their first message, because each may hold an
  /// incomplete message. With one more call, the server chooses the host with the most such calls.
  /// The call of this host that has waited longest ends with RESOURCE_EXHAUSTED.
  public var callsWithoutMessage: Int?
  /// The memory in bytes of all connections together, including incomplete messages. When the
  /// memory runs out, libgrpc reads more slowly and then closes connections.
  public var memoryBytes: Int?
  /// The time after which a connection takes no new calls.
  public var connectionAge: Duration?
  /// The time for the calls of such a connection to end.
  public var connectionAgeGrace: Duration?

  /// The time in which a client has to complete the TLS handshake and the start of HTTP/2.
  public var handshakeTimeout: Duration?

  public init() {}

  var c: cgrpc_server_limits {
    cgrpc_server_limits(
      max_concurrent_streams: Int32(clamping: callsPerConnection ?? 0),
      max_connection_age_ms: connectionAge?.milliseconds ?? 0,
      max_connection_age_grace_ms: connectionAgeGrace?.milliseconds ?? 0,
      handshake_timeout_ms: handshakeTimeout?.milliseconds ?? 0,
      memory_quota_bytes: Int64(memoryBytes ?? 0))
  }
}
