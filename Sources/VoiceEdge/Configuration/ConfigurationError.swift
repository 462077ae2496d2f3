internal import AnechoicAPI

/// An error in a configuration and its place: the line of a file, a variable or a flag. The
/// description is always one line.
public struct ConfigurationError: Error, Equatable, CustomStringConvertible {
  /// The maximum length of the text from a file in the description.
  private static let longestProblem = 300

  public let description: String

  public init(_ place: String, _ problem: String) {
    let start = problem.prefix(Self.longestProblem)
    let line = String(start.map { "\($0)".isPlainText ? $0 : " " })
    description = "\(place): \(line)\(start.endIndex == problem.endIndex ? "" : "...")"
  }
}
