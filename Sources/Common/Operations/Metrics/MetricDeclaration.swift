/// The name, the kind and the meaning of a metric. Each metric is declared once, in
/// `MetricDeclaration+Programs.swift` or, for calls, in `CallMetrics.swift`.
public struct MetricDeclaration: Sendable, Hashable {
  public enum Kind: String, Sendable {
    case counter, gauge, histogram
  }

  /// A label and the values that it can have, in words for the documentation.
  public struct Label: Sendable, Hashable {
    public let name: String
    public let values: String

    init(_ name: String, _ values: String) {
      self.name = name
      self.values = values
    }
  }

  /// The complete name, such as `anechoic_frames_processed_total`.
  public let name: String
  public let kind: Kind
  public let labels: [Label]
  /// The unit of the values: `frames`, `seconds`, `dB`.
  public let unit: String
  /// One sentence for operators.
  public let help: String
  /// The upper bounds of a histogram's classes in `unit`, in ascending order. Empty for other kinds.
  public let bounds: [Double]
  /// Whether a series is left out of the exposition until it has counted something.
  let omitsZeros: Bool

  init(
    _ name: String, _ kind: Kind, labels: [Label] = [], unit: String, bounds: [Double] = [],
    omitsZeros: Bool = false, help: String
  ) {
    self.name = name
    self.kind = kind
    self.labels = labels
    self.unit = unit
    self.bounds = bounds
    self.omitsZeros = omitsZeros
    self.help = help
  }
}
