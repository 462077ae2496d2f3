/// What is known of the route, one report after the other.
struct RouteHistory {
  /// Nil where there is none, or nobody told of one yet.
  private(set) var current: AudioRoute?
  private var isKnown = false

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
    return change
  }
}
