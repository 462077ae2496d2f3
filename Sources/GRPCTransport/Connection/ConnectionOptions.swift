internal import CGRPC

/// Limits and keepalive of a connection, for either side. A limit that is nil follows libgrpc.
public struct ConnectionOptions: Sendable {
  /// The size of a message. A larger one ends its call with RESOURCE_EXHAUSTED. libgrpc's default
  /// is 4 MiB.
  public var maximumReceivedMessageBytes: Int?
  public var maximumSentMessageBytes: Int?
  /// The silence after which a connection is pinged.
  public var keepaliveTime: Duration?
  /// The time that the answer to a ping may take before the connection is closed.
  public var keepaliveTimeout: Duration?

  public init() {}

  var c: cgrpc_connection_options {
    cgrpc_connection_options(
      max_receive_message_bytes: Int32(clamping: maximumReceivedMessageBytes ?? 0),
      max_send_message_bytes: Int32(clamping: maximumSentMessageBytes ?? 0),
      keepalive_time_ms: keepaliveTime?.milliseconds ?? 0,
      keepalive_timeout_ms: keepaliveTimeout?.milliseconds ?? 0)
  }
}
