/// The metrics of the calls of one method. Creating them takes time, counting does not.
///
/// Runs per frame: no allocation, lock, log or await.
public final class CallMetrics: Sendable {
  /// The codes of gRPC by their numbers, as the metrics of servers in other languages write them.
  public static let codes = [
    "OK", "Canceled", "Unknown", "InvalidArgument", "DeadlineExceeded", "NotFound",
    "AlreadyExists", "PermissionDenied", "ResourceExhausted", "FailedPrecondition", "Aborted",
    "OutOfRange", "Unimplemented", "Internal", "Unavailable", "DataLoss", "Unauthenticated",
  ]

  private let startedCount: AtomicCounter
  private let receivedCount: AtomicCounter
  private let sentCount: AtomicCounter
  private let handledCounts: [AtomicCounter]
  private let duration: AtomicHistogram

  /// Adds the series of a method. `type` is unary, client_stream, server_stream or bidi_stream.
  public init(_ registry: MetricsRegistry, type: String, service: String, method: String) {
    startedCount = registry.counter(.callsStarted, type, service, method)
    receivedCount = registry.counter(.messagesReceived, type, service, method)
    sentCount = registry.counter(.messagesSent, type, service, method)
    handledCounts = Self.codes.map {
      registry.counter(.callsHandled, type, service, method, $0)
    }
    duration = registry.histogram(.callDuration, type, service, method, step: 1e-9)
  }

  public func started() { startedCount.add() }

  public func received() { receivedCount.add() }

  public func sent() { sentCount.add() }

  /// Counts the end of a call with a code of gRPC.
  public func handled(code: Int, after time: Duration) {
    handledCounts[handledCounts.indices.contains(code) ? code : 2].add()
    duration.record(UInt64(max(0, time / .nanoseconds(1))))
  }
}

/// The metrics of calls, with the names and labels that gRPC servers in other languages use.
extension MetricDeclaration {
  private static let callLabels = [
    Label("grpc_type", "unary, client_stream, server_stream, bidi_stream"),
    Label("grpc_service", "the service with its package"), Label("grpc_method", "the method"),
  ]

  public static let callsStarted = MetricDeclaration(
    "grpc_server_started_total", .counter, labels: callLabels, unit: "calls", omitsZeros: true,
    help: "The calls that were started.")

  public static let callsHandled = MetricDeclaration(
    "grpc_server_handled_total", .counter,
    labels: callLabels + [Label("grpc_code", "the status code, such as OK or NotFound")],
    unit: "calls", omitsZeros: true, help: "The calls that have ended, whatever their status.")

  public static let messagesReceived = MetricDeclaration(
    "grpc_server_msg_received_total", .counter, labels: callLabels, unit: "messages",
    omitsZeros: true,
    help: "The messages that were received from clients.")

  public static let messagesSent = MetricDeclaration(
    "grpc_server_msg_sent_total", .counter, labels: callLabels, unit: "messages", omitsZeros: true,
    help: "The messages that were sent to clients.")

  public static let callDuration = MetricDeclaration(
    "grpc_server_handling_seconds", .histogram, labels: callLabels, unit: "seconds",
    bounds: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60, 600, 3600],
    omitsZeros: true,
    help: "The time from the start of a call to its end.")
}
