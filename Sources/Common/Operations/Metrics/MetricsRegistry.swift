internal import Synchronization

/// The metrics of a process: their declarations and their values.
///
/// Metrics are added at the start, or by code that is not in a hurry. The values are then counted
/// without the registry.
public final class MetricsRegistry: Sendable {
  /// The value of one series.
  enum Source: Sendable {
    case counter(AtomicCounter)
    case reading(@Sendable () -> Double)
    case gauge(AtomicGauge)
    case histogram(AtomicHistogram)

    /// Whether nothing has been counted.
    var isZero: Bool {
      switch self {
      case .counter(let counter): counter.value == 0
      case .histogram(let histogram): histogram.snapshot.count == 0
      case .reading, .gauge: false
      }
    }
  }

  struct Series: Sendable {
    /// The values of the declaration's labels, in the order of the labels.
    let labels: [String]
    let source: Source
  }

  struct Family: Sendable {
    let declaration: MetricDeclaration
    var series: [Series] = []
  }

  private struct State {
    var families: [Family] = []
    var indices: [String: Int] = [:]
  }

  private let state = Mutex(State())

  public init() {}

  /// Returns the counter of a series, which is created if it does not exist.
  public func counter(_ declaration: MetricDeclaration, _ labels: String...) -> AtomicCounter {
    counter(declaration, labels: labels)
  }

  func counter(_ declaration: MetricDeclaration, labels: [String]) -> AtomicCounter {
    let source = source(declaration, labels) { .counter(AtomicCounter()) }
    guard case .counter(let counter) = source else { return AtomicCounter() }
    return counter
  }

  /// Returns the gauge of a series, which is created if it does not exist.
  public func gauge(_ declaration: MetricDeclaration, _ labels: String...) -> AtomicGauge {
    gauge(declaration, labels: labels)
  }

  func gauge(_ declaration: MetricDeclaration, labels: [String]) -> AtomicGauge {
    let source = source(declaration, labels) { .gauge(AtomicGauge()) }
    guard case .gauge(let gauge) = source else { return AtomicGauge() }
    return gauge
  }

  /// Adds a series whose value is read for each exposition.
  public func reading(
    _ declaration: MetricDeclaration, _ labels: String..., read: @escaping @Sendable () -> Double
  ) {
    _ = source(declaration, labels) { .reading(read) }
  }

  /// Returns the histogram of a series, which is created if it does not exist. `step` is the unit of
  /// the recorded integers: 1e-9 for nanoseconds of a histogram in seconds.
  public func histogram(
    _ declaration: MetricDeclaration, _ labels: String..., step: Double
  ) -> AtomicHistogram {
    histogram(declaration, labels: labels, step: step)
  }

  func histogram(
    _ declaration: MetricDeclaration, labels: [String], step: Double
  ) -> AtomicHistogram {
    let source = source(declaration, labels) {
      .histogram(AtomicHistogram(bounds: declaration.bounds, step: step))
    }
    guard case .histogram(let histogram) = source else {
      return AtomicHistogram(bounds: declaration.bounds, step: step)
    }
    return histogram
  }

  /// The declarations of the metrics that have values, in the order in which they were added.
  public var declarations: [MetricDeclaration] { families.map(\.declaration) }

  var families: [Family] { state.withLock { $0.families } }

  /// Returns the source of a series. Creates the series with `make` if it does not exist.
  private func source(
    _ declaration: MetricDeclaration, _ labels: [String], _ make: () -> Source
  ) -> Source {
    precondition(labels.count == declaration.labels.count, "labels of \(declaration.name)")
    return state.withLock { state in
      let index =
        state.indices[declaration.name]
        ?? {
          state.families.append(Family(declaration: declaration))
          state.indices[declaration.name] = state.families.count - 1
          return state.families.count - 1
        }()
      if let known = state.families[index].series.first(where: { $0.labels == labels }) {
        return known.source
      }
      let source = make()
      state.families[index].series.append(Series(labels: labels, source: source))
      return source
    }
  }
}
