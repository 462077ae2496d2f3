internal import CGRPC

/// The limits and keepalive of a connection, on either side. For a value that is nil, libgrpc's
/// default applies.
public struct ConnectionOptions: Sendable {
  /// The maximum size of a received message. A larger message ends its call with
  /// RESOURCE_EXHAUSTED. libgrpc's default is 4 MiB.
  public var maximumReceivedMessageBytes: Int?
  public var maximumSentMessageBytes: Int?
  /// The time without traffic after which the connection is pinged.
  public var keepaliveTime: Duration?
  /// The time without an answer to a ping after which the connection is closed.
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
