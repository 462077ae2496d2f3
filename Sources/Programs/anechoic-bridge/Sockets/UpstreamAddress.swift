internal import Operations

/// The address of an upstream: `ws://HOST[:PORT][/PATH][?QUERY]`, or `wss://` with TLS.
struct UpstreamAddress: Sendable, Equatable, CustomStringConvertible {
  let isEncrypted: Bool
  /// The name of the host, or its address without brackets.
  let host: String
  let port: UInt16
  private let authority: String
  private let path: String
  private let query: String

  /// Returns nil if `text` is not such an address.
  init?(_ text: String) {
    guard text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "#") }) else {
      return nil
    }
    let rest: Substring
    if text.lowercased().hasPrefix("wss://") {
      (isEncrypted, rest) = (true, text.dropFirst(6))
    } else if text.lowercased().hasPrefix("ws://") {
      (isEncrypted, rest) = (false, text.dropFirst(5))
    } else {
      return nil
    }
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    let target = rest.dropFirst(authority.count)
    path = String(target.prefix { $0 != "?" })
    query = String(target.dropFirst(path.count + 1))
    self.authority = String(authority)
    guard let (host, port) = Self.hostAndPort(authority) else { return nil }
    self.host = host
    guard let port else {
      self.port = isEncrypted ? 443 : 80
      return
    }
    guard let number = UInt16(port), number > 0 else { return nil }
    self.port = number
  }

  private static func hostAndPort(_ authority: Substring) -> (String, port: Substring?)? {
    guard !authority.contains("@") else { return nil }
    if authority.hasPrefix("[") {
      guard let end = authority.firstIndex(of: "]") else { return nil }
      let rest = authority[authority.index(after: end)...]
      guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
      return (String(authority[..<end].dropFirst()), rest.isEmpty ? nil : rest.dropFirst())
    }
    let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), !parts[0].isEmpty else { return nil }
    return (String(parts[0]), parts.count == 2 ? parts[1] : nil)
  }

  var description: String { "\(isEncrypted ? "wss" : "ws")://\(authority)\(path)" }

  /// The value of the header Host.
  var hostHeader: String { authority }

  /// Returns the path and the query for a request of a client: the own path if there is one, and both
  /// queries.
  func target(for request: HTTPRequest) -> String {
    let path = self.path.isEmpty || self.path == "/" ? request.path : self.path
    let queries = [query, request.query].filter { !$0.isEmpty }
    return queries.isEmpty ? path : "\(path)?\(queries.joined(separator: "&"))"
  }
}
