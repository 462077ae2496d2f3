/// What is known of the route, one report after the other.
struct RouteHistory {
  /// Nil where there is none, or nobody told of one yet.
  private(set) var current: AudioRoute?
  /// Whether the last change was to another port than the last of its direction, and not only away
  /// from one or back to it.
  private(set) var isNewWay = false
  private var isKnown = false
  private var lastPorts = AudioRoute()

  /// Takes in a report.
  ///
  /// - Returns: What has changed by it. What was before the first report only the reporter can say;
  ///   after that what was reported counts. Nil for the same route again.
  mutating func take(_ report: RouteChange) -> RouteChange? {
    var change = report
    if isKnown {
      guard report.current != current else { return nil }
      change.previous = current
    }
    isKnown = true
    current = report.current
    let ports = AudioRoute(
      input: current?.input ?? lastPorts.input, output: current?.output ?? lastPorts.output)
    isNewWay = ports != lastPorts
    lastPorts = ports
    return change
  }
}
