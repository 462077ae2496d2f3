internal import Glibc

/// The reason why a program does not listen on an address.
public struct ListeningError: Error, CustomStringConvertible {
  public let description: String

  init(description: String) { self.description = description }

  /// Creates an error with the text of `errno`.
  public init(systemErrorAt address: String) {
    let problem =
      errno == EADDRINUSE
      ? "the address is in use" : String(cString: strerror(errno)).lowercased()
    self.init(description: "cannot listen on \(address): \(problem)")
  }
}
