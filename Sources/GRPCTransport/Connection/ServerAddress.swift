/// Where a server listens: `HOST:PORT`, `[IPv6]:PORT` or `unix:PATH`.
///
/// Stricter than libgrpc, which takes the port of https where none is given and cuts a port to 16 bits.
public enum ServerAddress: Sendable, Equatable {
  case host(String, port: UInt16)
  case unix(path: String)

  /// Nil for what is none of these.
  public init?(_ text: String) {
    if text.hasPrefix("unix:") {
      let path = String(text.dropFirst("unix:".count))
      guard UnixSocket.canBe(at: path) else { return nil }
      self = .unix(path: path)
      return
    }
    guard let colon = text.lastIndex(of: ":") else { return nil }
    let host = text[..<colon]
    let digits = text[text.index(after: colon)...]
    guard Self.canBeHost(host), digits.allSatisfy({ "0123456789".contains($0) }),
      let port = UInt16(digits)
    else { return nil }
    self = .host(String(host), port: port)
  }

  private static func canBeHost(_ host: Substring) -> Bool {
    guard !host.isEmpty, host.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else { return false }
    if host.hasPrefix("["), host.hasSuffix("]"), host.count > 2 {
      return !host.dropFirst().dropLast().contains { "[]".contains($0) }
    }
    return !host.contains { ":[]".contains($0) }
  }
}
