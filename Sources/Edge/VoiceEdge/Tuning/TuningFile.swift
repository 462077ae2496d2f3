internal import AnechoicAPI
internal import Foundation
public import Settings

/// A file with the tunings of products, in YAML.
public struct TuningFile: Sendable, Equatable {
  /// The maximum number of products.
  public static let mostProducts = 256

  public var products: [String: Tuning] = [:]

  public init() {}

  /// Reads a file. `name` is its name in errors. `warn` gets a line for each key with its former
  /// name.
  public init(
    reading text: String, name: String, warn: (String) -> Void = { _ in }
  ) throws(SettingsError) {
    let root = try SettingsSection(
      reading: text, file: name, formerKey: EdgeConfiguration.formerKey)
    try root.check(["products"])
    for section in try root.sections("products") {
      try section.check(["product", "delay_ms", "echo", "capture", "playback"])
      guard let product = try section.filled("product") else {
        throw section.wrong("product", "is required")
      }
      guard products[product.text] == nil else {
        throw product.wrong("\"\(product.text)\" appears twice")
      }
      guard products.count < Self.mostProducts else {
        throw product.wrong("a file has \(Self.mostProducts) products at most")
      }
      var tuning = Tuning()
      tuning.delay = try section.integer("delay_ms", in: 0...Tuning.longestDelay) ?? 0
      tuning.echo = try section.choice(
        "echo", [("low", .low), ("moderate", .moderate), ("high", .high)])
      tuning.capture = try Self.direction(section.section("capture"))
      tuning.playback = try Self.direction(section.section("playback"))
      products[product.text] = tuning
    }
    root.warnings.forEach(warn)
  }

  private static func direction(
    _ section: SettingsSection
  ) throws(SettingsError) -> Tuning.Direction {
    try section.check(["level_db", "filters"])
    var direction = Tuning.Direction()
    direction.level = try number(section, "level_db", in: Tuning.Direction.levels) ?? 0
    for filter in try section.sections("filters") {
      try filter.check(["type", "frequency_hz", "gain_db", "q"])
      guard direction.filters.count < FilterShape.most else {
        throw section.wrong("filters", "has more than \(FilterShape.most) filters")
      }
      let kinds = FilterShape.Kind.allCases.map { ($0.rawValue, $0) }
      guard let kind = try filter.choice("type", kinds) else {
        throw filter.wrong("type", "is required")
      }
      guard
        let frequency = try number(filter, "frequency_hz", in: FilterShape.frequencies)
      else { throw filter.wrong("frequency_hz", "is required") }
      let gain = try number(filter, "gain_db", in: FilterShape.gains)
      guard gain == nil || kind.hasGain else {
        throw filter.wrong("gain_db", "does not apply to a \(kind.rawValue) filter")
      }
      direction.filters.append(
        FilterShape(
          kind, frequency: frequency, gain: gain ?? 0,
          quality: try number(filter, "q", in: FilterShape.qualities) ?? 0.707))
    }
    return direction
  }

  private static func number(
    _ section: SettingsSection, _ key: String, in range: ClosedRange<Double>
  ) throws(SettingsError) -> Double? {
    guard let value = try section.value(key) else { return nil }
    guard let number = Double(value.text), range.contains(number) else {
      throw value.wrong(
        "\"\(value.text)\" is not a number from \(Self.text(range.lowerBound)) to "
          + Self.text(range.upperBound))
    }
    return number
  }

  /// The text of the file.
  public var text: String {
    var lines = [
      "# Written by anechoic-edge tune. docs/reference/edge.md explains the keys.", "products:",
    ]
    for (product, tuning) in products.sorted(by: { $0.key < $1.key }) {
      let escaped = product.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      lines.append("  - product: \"\(escaped)\"")
      lines.append("    delay_ms: \(tuning.delay)")
      switch tuning.echo {
      case .low: lines.append("    echo: low")
      case .moderate: lines.append("    echo: moderate")
      case .high: lines.append("    echo: high")
      default: break
      }
      for (name, direction) in [("capture", tuning.capture), ("playback", tuning.playback)] {
        lines.append("    \(name):")
        lines.append("      level_db: \(Self.text(direction.level))")
        lines.append(direction.filters.isEmpty ? "      filters: []" : "      filters:")
        for filter in direction.filters {
          let gain = filter.kind.hasGain ? ", gain_db: \(Self.text(filter.gain))" : ""
          lines.append(
            "        - {type: \(filter.kind.rawValue), frequency_hz: \(Self.text(filter.frequency))"
              + "\(gain), q: \(Self.text(filter.quality))}")
        }
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns a number with three decimals at most.
  private static func text(_ number: Double) -> String {
    let rounded = (number * 1000).rounded() / 1000
    return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
  }
}
