internal import AnechoicAPI

/// What is wrong in a configuration, and where: a file's line, a variable or a flag. One line, whatever
/// the file holds.
public struct ConfigurationError: Error, Equatable, CustomStringConvertible {
  /// Of what a file may bring into the line.
  private static let longestProblem = 300

  public let description: String

  public init(_ place: String, _ problem: String) {
    let start = problem.prefix(Self.longestProblem)
    let line = String(start.map { "\($0)".isPlainText ? $0 : " " })
    description = "\(place): \(line)\(start.endIndex == problem.endIndex ? "" : "...")"
  }
}
