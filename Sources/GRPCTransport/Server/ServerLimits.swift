internal import CGRPC

/// Limits that a server sets to its clients. A limit that is nil does not exist.
public struct ServerLimits: Sendable {
  /// The calls that one connection may have open at a time. libgrpc tells clients, which then wait
  /// with further calls. A call of a client that does not obey ends with RESOURCE_EXHAUSTED. All
  /// clients of a unix socket count as one.
  public var callsPerConnection: Int?
  /// The calls that wait for their first message at a time: each may hold an incomplete one. One more
  /// ends the call that has waited longest of the host with the most such calls, with
  /// RESOURCE_EXHAUSTED.
  public var callsWithoutMessage: Int?
  /// The memory in bytes of all connections together, with the messages that have not arrived in
  /// full. When it runs out, libgrpc reads more slowly and then closes connections.
  public var memoryBytes: Int?
  /// The time after which a connection takes no new calls.
  public var connectionAge: Duration?
  /// The time that the calls of such a connection have left to end.
  public var connectionAgeGrace: Duration?

  public init() {}

  var c: cgrpc_server_limits {
    cgrpc_server_limits(
      max_concurrent_streams: Int32(clamping: callsPerConnection ?? 0),
      max_connection_age_ms: connectionAge?.milliseconds ?? 0,
      max_connection_age_grace_ms: connectionAgeGrace?.milliseconds ?? 0,
      memory_quota_bytes: Int64(memoryBytes ?? 0))
  }
}
