/// The metrics of calls, with the names and labels that gRPC servers in other languages use.
extension MetricDeclaration {
  private static let callLabels = [
    Label("grpc_type", "unary, client_stream, server_stream, bidi_stream"),
    Label("grpc_service", "the service with its package"), Label("grpc_method", "the method"),
  ]

  public static let callsStarted = MetricDeclaration(
    "grpc_server_started_total", .counter, labels: callLabels, unit: "calls",
    help: "The calls that were started.")

  public static let callsHandled = MetricDeclaration(
    "grpc_server_handled_total", .counter,
    labels: callLabels + [Label("grpc_code", "the status code, such as OK or NotFound")],
    unit: "calls", help: "The calls that have ended, whatever their status.")

  public static let messagesReceived = MetricDeclaration(
    "grpc_server_msg_received_total", .counter, labels: callLabels, unit: "messages",
    help: "The messages that were received from clients.")

  public static let messagesSent = MetricDeclaration(
    "grpc_server_msg_sent_total", .counter, labels: callLabels, unit: "messages",
    help: "The messages that were sent to clients.")

  public static let callDuration = MetricDeclaration(
    "grpc_server_handling_seconds", .histogram, labels: callLabels, unit: "seconds",
    bounds: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60, 600, 3600],
    help: "The time from the start of a call to its end.")
}
