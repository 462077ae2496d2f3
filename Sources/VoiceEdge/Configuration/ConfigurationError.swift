/// What is wrong in a configuration, and where: a file's line, a variable or a flag.
public struct ConfigurationError: Error, Equatable, CustomStringConvertible {
  public let description: String

  public init(_ place: String, _ problem: String) { description = "\(place): \(problem)" }
}
