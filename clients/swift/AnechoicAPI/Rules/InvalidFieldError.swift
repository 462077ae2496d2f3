/// An error in a field of a message.
public struct InvalidFieldError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The path of the field, such as `start.inputs.microphone.sample_rate_hz`.
  public let path: String
  public let problem: String
  /// Whether the value is valid but not offered by this version.
  public let isUnsupported: Bool

  public init(_ path: String, _ problem: String, isUnsupported: Bool = false) {
    self.path = path
    self.problem = problem
    self.isUnsupported = isUnsupported
  }

  public static func unsupported(_ path: String) -> InvalidFieldError {
    InvalidFieldError(path, "is not offered by this version of the server", isUnsupported: true)
  }

  public var description: String { "\(path): \(problem)" }
}
