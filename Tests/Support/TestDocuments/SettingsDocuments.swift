internal import Foundation
public import Settings

/// The documents that a program writes of its settings, as they are in the repository.
public struct SettingsDocuments<Values: Sendable>: Sendable {
  private static var root: URL {
    (1...4).reduce(URL(fileURLWithPath: #filePath)) { path, _ in path.deletingLastPathComponent() }
  }

  private let table: SettingsTable<Values>
  /// The sample file.
  public let sample: String
  /// The page with the reference.
  public let page: String

  /// Reads the documents. The paths begin at the root of the repository.
  public init(of table: SettingsTable<Values>, sample: String, page: String) throws {
    self.table = table
    (self.sample, self.page) = (try Self.text(sample), try Self.text(page))
  }

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  /// The sample with every key, and without explanations.
  public var uncommentedSample: String {
    sample.split(separator: "\n").compactMap { line in
      let words = line.drop { $0 == " " }
      if words.hasPrefix("# ") || words == "#" { return nil }
      guard words.hasPrefix("#") else { return String(line) }
      return "\(line.prefix { $0 == " " })\(words.dropFirst())"
    }.joined(separator: "\n")
  }

  /// Returns the paths of the keys in a file that the sample lacks.
  ///
  /// - Parameter settings: The settings of the uncommented sample.
  public func missing(from settings: LayeredValues<Values>) -> [String] {
    let lines = Set(uncommentedSample.split(separator: "\n").map { $0.drop { $0 == " " } })
    // An empty list and a key without a value set nothing.
    return table.settings.filter { setting in
      setting.isInFile && settings.origin(setting.path) == .defaultValue
        && !lines.contains("\(setting.key): []") && !lines.contains("\(setting.key):")
    }.map(\.path)
  }
}
