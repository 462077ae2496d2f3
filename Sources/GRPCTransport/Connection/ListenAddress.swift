/// Checks of an address that libgrpc leaves out.
enum ListenAddress {
  /// Whether `address` is one, and its path is nobody's: libgrpc removes the socket of a server that runs.
  static func isUsable(_ address: String) -> Bool {
    switch ServerAddress(address) {
    case .host: true
    case .unix(let path): !UnixSocket.answers(path)
    case nil: false
    }
  }
}
