public import CoreMetrics

/// A factory of swift-metrics whose metrics are part of a registry. For code that is not in a hurry:
/// the audio threads use the registry's own counters.
///
/// A label of swift-metrics that has a declaration in this package becomes that metric. Any other
/// label becomes a metric of its own, whose characters that Prometheus does not allow are replaced
/// by `_`. Metrics stay until the process ends.
public struct PrometheusFactory: MetricsFactory {
  private let registry: MetricsRegistry

  public init(_ registry: MetricsRegistry) { self.registry = registry }

  public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    let series = series(label, dimensions, .counter)
    return Handler(counter: series.map { registry.counter($0.declaration, labels: $0.labels) })
  }

  public func makeFloatingPointCounter(
    label: String, dimensions: [(String, String)]
  ) -> any FloatingPointCounterHandler {
    let series = series(label, dimensions, .gauge)
    return Handler(gauge: series.map { registry.gauge($0.declaration, labels: $0.labels) })
  }

  public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    let series = series(label, dimensions, .gauge)
    return Handler(gauge: series.map { registry.gauge($0.declaration, labels: $0.labels) })
  }

  public func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler {
    guard aggregate else {
      let series = series(label, dimensions, .gauge)
      return Handler(gauge: series.map { registry.gauge($0.declaration, labels: $0.labels) })
    }
    let series = series(label, dimensions, .histogram)
    return Handler(
      histogram: series.map { registry.histogram($0.declaration, labels: $0.labels, step: 1) })
  }

  public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    let series = series(label, dimensions, .histogram)
    return Handler(
      histogram: series.map { registry.histogram($0.declaration, labels: $0.labels, step: 1e-9) })
  }

  public func destroyCounter(_ handler: any CounterHandler) {}
  public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
  public func destroyMeter(_ handler: any MeterHandler) {}
  public func destroyRecorder(_ handler: any RecorderHandler) {}
  public func destroyTimer(_ handler: any TimerHandler) {}

  private typealias Series = (declaration: MetricDeclaration, labels: [String])

  /// The bounds of histograms without a declaration.
  private static let usualBounds = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60]

  /// Returns the series of a label of swift-metrics. Returns nil if its name has other labels or
  /// another kind already, or if there are too many series.
  private func series(
    _ label: String, _ dimensions: [(String, String)], _ kind: MetricDeclaration.Kind
  ) -> Series? {
    let name = Self.allowed(label)
    let dimensions = dimensions.map { (Self.allowed($0.0), $0.1) }
    let declared = MetricDeclaration.server.first { $0.name == name }
    let known = declared ?? registry.declarations.first { $0.name == name }
    guard let known else {
      let labels = dimensions.map(\.1)
      guard registry.admitsForeignSeries(name, labels) else { return nil }
      let declaration = MetricDeclaration(
        name, kind, labels: dimensions.map { .init($0.0, "") }, unit: "",
        bounds: kind == .histogram ? Self.usualBounds : [], help: "A metric of a library.")
      return (declaration, labels)
    }
    guard known.kind == kind, known.labels.map(\.name) == dimensions.map(\.0) else { return nil }
    let labels = dimensions.map(\.1)
    guard declared != nil || registry.admitsForeignSeries(name, labels) else { return nil }
    return (known, labels)
  }

  private static func allowed(_ name: String) -> String {
    let letters = name.unicodeScalars.map { scalar in
      scalar.isASCII
        && (scalar.properties.isAlphabetic || "0123456789_".contains(Character(scalar)))
        ? Character(scalar) : "_"
    }
    return letters.first?.isNumber ?? true ? "_" + String(letters) : String(letters)
  }
}

/// A metric of swift-metrics. A handler without a value ignores everything.
private final class Handler: Sendable {
  private let counter: AtomicCounter?
  private let gauge: AtomicGauge?
  private let histogram: AtomicHistogram?

  init(
    counter: AtomicCounter? = nil, gauge: AtomicGauge? = nil, histogram: AtomicHistogram? = nil
  ) {
    self.counter = counter
    self.gauge = gauge
    self.histogram = histogram
  }

  /// Does nothing: a counter of Prometheus never decreases.
  func reset() {}
}

extension Handler: CounterHandler {
  func increment(by amount: Int64) { counter?.add(UInt64(max(0, amount))) }
}

extension Handler: FloatingPointCounterHandler, MeterHandler {
  func increment(by amount: Double) { gauge?.add(amount) }
  func decrement(by amount: Double) { gauge?.add(-amount) }
  func set(_ value: Int64) { gauge?.set(Double(value)) }
  func set(_ value: Double) { gauge?.set(value) }
}

extension Handler: RecorderHandler {
  func record(_ value: Int64) {
    gauge?.set(Double(value))
    histogram?.record(UInt64(max(0, value)))
  }

  func record(_ value: Double) {
    gauge?.set(value)
    histogram?.record(UInt64(max(0, min(value.isNaN ? 0 : value, 1e15))))
  }
}

extension Handler: TimerHandler {
  func recordNanoseconds(_ duration: Int64) { histogram?.record(UInt64(max(0, duration))) }
}
