/// The metrics of `anechoic-bridge`. docs/reference/metrics.md has the same list.
extension MetricDeclaration {
  /// The metrics that only a bridge has.
  public static let bridge: [MetricDeclaration] = [
    bridgeCalls, bridgeCapacity, bridgeCallsStarted, bridgeCallsRefused, bridgeVoicesUnprocessed,
    bridgeVoicesLost, bridgeLateSound,
  ]

  public static let bridgeCalls = MetricDeclaration(
    "anechoic_bridge_calls", .gauge, unit: "calls", help: "The calls that run now.")

  public static let bridgeCapacity = MetricDeclaration(
    "anechoic_bridge_call_capacity", .gauge, unit: "calls",
    help: "The maximum number of calls that may run at the same time.")

  public static let bridgeCallsStarted = MetricDeclaration(
    "anechoic_bridge_calls_started_total", .counter, unit: "calls",
    help: "The calls that were started.")

  public static let bridgeCallsRefused = MetricDeclaration(
    "anechoic_bridge_calls_refused_total", .counter, labels: [Label("reason", "full, failed")],
    unit: "calls",
    help: """
      The calls that did not start: because the maximum number of calls ran, or because a side could not be \
      reached, refused, or did not follow its protocol, as the log says.
      """)

  public static let bridgeVoicesUnprocessed = MetricDeclaration(
    "anechoic_bridge_voices_unprocessed", .gauge, unit: "voices",
    help: """
      The voices of running calls whose processing has failed or ended, and has not begun again: the \
      other side hears the fallback.
      """)

  public static let bridgeVoicesLost = MetricDeclaration(
    "anechoic_bridge_voices_lost_total", .counter, unit: "voices",
    help: "The times that the processing of a voice ended before its call.")

  public static let bridgeLateSound = MetricDeclaration(
    "anechoic_bridge_late_sound_total", .counter, unit: "reports",
    help: """
      The reports of processed sound that came too late, so that the fallback was heard: one in 10 s \
      for a call at most.
      """)
}
