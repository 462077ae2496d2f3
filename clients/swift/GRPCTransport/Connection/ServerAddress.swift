/// The address of a server: `HOST:PORT`, `[IPv6]:PORT` or `unix:PATH`.
///
/// The same rule holds for listening and for connecting. libgrpc is less strict: it assumes port 443 if
/// none is given, and keeps the low 16 bits of a port above 65535.
public enum ServerAddress: Sendable, Equatable {
  case host(String, port: UInt16)
  case unix(path: String)

  /// Returns nil if `text` has none of the three forms.
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

  /// Returns what is wrong with the address of a server to connect to, or nil if it is right.
  public static func connectingProblem(_ text: String) -> String? {
    if case .host(_, port: 0) = ServerAddress(text) {
      return "\"\(text)\" cannot be connected to: the port must be from 1 to 65535"
    }
    return problem(text, ports: "1 to 65535")
  }

  /// Returns what is wrong with an address to listen on, or nil if it is right. Port 0 is right: it asks
  /// for a free port.
  public static func listeningProblem(_ text: String) -> String? {
    problem(text, ports: "0 to 65535")
  }

  private static func problem(_ text: String, ports: String) -> String? {
    guard ServerAddress(text) == nil else { return nil }
    let reason =
      if text.hasPrefix("unix:") {
        UnixSocket.rule
      } else if let colon = text.lastIndex(of: ":"), canBeHost(text[..<colon]) {
        "the port must be from \(ports)"
      } else if canBeHost(text[...]) {
        "the port is missing"
      } else {
        "the host cannot be read"
      }
    return "\"\(text)\" is not an address: \(reason); use HOST:PORT, [IPv6]:PORT or unix:PATH"
  }

  private static func canBeHost(_ host: Substring) -> Bool {
    guard !host.isEmpty, host.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else { return false }
    if host.hasPrefix("["), host.hasSuffix("]"), host.count > 2 {
      return !host.dropFirst().dropLast().contains { "[]".contains($0) }
    }
    return !host.contains { ":[]".contains($0) }
  }
}
