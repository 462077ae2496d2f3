internal import Glibc

/// The reason why the HTTP interface for operators did not start.
public struct AdministrationError: Error, CustomStringConvertible {
  public let description: String

  public init(description: String) { self.description = description }

  /// Creates an error with the text of `errno`.
  init(systemErrorAt address: String) {
    let problem =
      errno == EADDRINUSE
      ? "the address is in use" : String(cString: strerror(errno)).lowercased()
    self.init(description: "cannot listen on \(address): \(problem)")
  }
}
