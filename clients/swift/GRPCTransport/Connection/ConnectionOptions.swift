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

extension Duration {
  /// The duration in whole nanoseconds, clamped to 64 bits.
  public var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, carry) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflow || carry ? (seconds < 0 ? .min : .max) : sum
  }

  var milliseconds: Int32 { Int32(clamping: nanoseconds / 1_000_000) }
}
