/// The metrics of a registry as text.
public enum Exposition: Sendable, CaseIterable {
  /// Version 0.0.4 of Prometheus' text format.
  case prometheus
  /// Version 1.0.0 of OpenMetrics.
  case openMetrics

  private static let openMetricsType = "application/openmetrics-text"

  /// Chooses the format that the client of HTTP asks for with its header Accept. Prometheus'
  /// format is the default.
  public init(accept: String?) {
    let ranges = (accept ?? "").split(separator: ",").map { range in
      range.split(separator: ";").map { $0.drop { $0 == " " }.lowercased() }
    }
    let wantsOpenMetrics = ranges.contains { range in
      range.first?.split(separator: " ").first.map(String.init) == Self.openMetricsType
        && !range.contains { ["q=0", "q=0.0", "version=0.0.1"].contains($0) }
    }
    self = wantsOpenMetrics ? .openMetrics : .prometheus
  }

  public var contentType: String {
    switch self {
    case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
    case .openMetrics: "\(Self.openMetricsType); version=1.0.0; charset=utf-8"
    }
  }

  /// Returns the current values of all metrics.
  public func text(of registry: MetricsRegistry) -> String {
    var text = ""
    for family in registry.families { append(family, to: &text) }
    if self == .openMetrics { text += "# EOF\n" }
    return text
  }

  private func append(_ family: MetricsRegistry.Family, to text: inout String) {
    let declaration = family.declaration
    let name = familyName(of: declaration)
    text += "# HELP \(name) \(escaped(declaration.help, quotes: self == .openMetrics))\n"
    text += "# TYPE \(name) \(declaration.kind.rawValue)\n"
    for series in family.series where !(declaration.omitsZeros && series.source.isZero) {
      let labels = zip(declaration.labels, series.labels).map { label, value in
        "\(label.name)=\"\(escaped(value, quotes: true))\""
      }
      func line(_ suffix: String, _ extra: String? = nil, _ value: String) {
        let all = labels + [extra].compactMap { $0 }
        text += declaration.name + suffix
        if !all.isEmpty { text += "{\(all.joined(separator: ","))}" }
        text += " \(value)\n"
      }
      switch series.source {
      case .counter(let counter): line("", nil, "\(counter.value)")
      case .gauge(let gauge): line("", nil, number(gauge.value))
      case .reading(let read): line("", nil, number(read()))
      case .histogram(let histogram):
        let snapshot = histogram.snapshot
        for (bound, count) in zip(histogram.bounds, snapshot.cumulative) {
          line("_bucket", "le=\"\(number(bound))\"", "\(count)")
        }
        line("_bucket", "le=\"+Inf\"", "\(snapshot.count)")
        line("_sum", nil, number(snapshot.sum))
        line("_count", nil, "\(snapshot.count)")
      }
    }
  }

  /// OpenMetrics names the family of a counter without the suffix of its samples.
  private func familyName(of declaration: MetricDeclaration) -> String {
    guard self == .openMetrics, declaration.kind == .counter,
      declaration.name.hasSuffix("_total")
    else { return declaration.name }
    return String(declaration.name.dropLast("_total".count))
  }

  private func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    return "\(value)"
  }

  private func escaped(_ text: String, quotes: Bool) -> String {
    var result = ""
    for character in text.unicodeScalars {
      switch character {
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\"" where quotes: result += "\\\""
      default: result.unicodeScalars.append(character)
      }
    }
    return result
  }
}
