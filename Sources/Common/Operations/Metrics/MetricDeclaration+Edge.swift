/// The metrics of `anechoic-edge`, which `anechoic-edge metrics` prints.
extension MetricDeclaration {
  /// All metrics of an agent.
  public static let edge: [MetricDeclaration] = [
    xruns, edgeConnected, microphoneOpen, loweredStreams,
  ]

  public static let xruns = MetricDeclaration(
    "anechoic_xruns_total", .counter, labels: [Label("direction", "capture, playback")],
    unit: "xruns", help: "The overruns of the microphone and the underruns of the loudspeaker.")

  public static let edgeConnected = MetricDeclaration(
    "anechoic_edge_connected", .gauge, unit: "boolean",
    help: "Whether the agent has a session on its server.")

  public static let microphoneOpen = MetricDeclaration(
    "anechoic_edge_microphone_open", .gauge, unit: "boolean",
    help: "Whether the microphone is open.")

  public static let loweredStreams = MetricDeclaration(
    "anechoic_edge_lowered_streams", .gauge, unit: "streams",
    help: "The streams of other programs that are lowered.")
}
