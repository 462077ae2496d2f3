internal import CGRPC

/// Limits and keepalive of a connection, for either side. What is nil follows libgrpc.
public struct ConnectionOptions: Sendable {
  /// A larger message ends its call with RESOURCE_EXHAUSTED. libgrpc's default is 4 MiB.
  public var maximumReceivedMessageBytes: Int?
  public var maximumSentMessageBytes: Int?
  /// A connection silent for so long is pinged…
  public var keepaliveTime: Duration?
  /// …and closed when the answer takes longer than this.
  public var keepaliveTimeout: Duration?
  /// Server: a client that pings more often than this while it sends no data is cut off.
  public var minimumReceivedPingInterval: Duration?

  public init() {}

  var c: cgrpc_connection_options {
    cgrpc_connection_options(
      max_receive_message_bytes: Int32(clamping: maximumReceivedMessageBytes ?? 0),
      max_send_message_bytes: Int32(clamping: maximumSentMessageBytes ?? 0),
      keepalive_time_ms: keepaliveTime?.milliseconds ?? 0,
      keepalive_timeout_ms: keepaliveTimeout?.milliseconds ?? 0,
      min_received_ping_interval_ms: minimumReceivedPingInterval?.milliseconds ?? 0)
  }
}
