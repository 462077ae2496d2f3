internal import AnechoicAPI

/// An error in the settings of a program and its place: the line of a file, a variable or a flag. The
/// description is always one line.
public struct SettingsError: Error, Equatable, CustomStringConvertible {
  /// The maximum length of the text from a file in the description.
  private static let longestProblem = 300

  /// The line of a file with the key, the variable or the flag.
  public let place: String
  public let description: String

  /// Whether a flag is wrong, which is wrong usage of the command.
  public var isOfFlag: Bool { place.hasPrefix("--") }

  public init(_ place: String, _ problem: String) {
    self.place = place
    let start = problem.prefix(Self.longestProblem)
    let line = String(start.map { "\($0)".isPlainText ? $0 : " " })
    description = "\(place): \(line)\(start.endIndex == problem.endIndex ? "" : "...")"
  }
}
