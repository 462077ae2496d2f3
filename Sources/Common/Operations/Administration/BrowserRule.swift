/// The rule that keeps other web pages in an operator's browser from using the listener.
///
/// A page of another site sends its own origin. A page whose name was rebound to this machine's
/// address names itself as the host.
public struct BrowserRule: Sendable {
  /// The names of hosts that a request may address.
  public enum Hosts: Sendable {
    /// `localhost` and the loopback addresses.
    case thisMachine
    /// Addresses, `localhost`, and names without a dot. No stranger can own such a name.
    case local
    /// Every name.
    case any
  }

  private let hosts: Hosts

  public init(_ hosts: Hosts) { self.hosts = hosts }

  /// Returns whether a request may change something or read about sessions.
  public func allows(_ request: HTTPRequest) -> Bool {
    let headers = request.headers
    if let site = headers["sec-fetch-site"], site != "same-origin", site != "none" { return false }
    let host = headers["host"] ?? ""
    // A proxy in front of a listener without TLS may add it. An attacker on the network can change pages
    // that come without TLS, so those are not pages of a listener with TLS.
    let own = request.isEncrypted ? ["https://\(host)"] : ["http://\(host)", "https://\(host)"]
    if let origin = headers["origin"], !own.contains(origin) { return false }
    return switch hosts {
    case .thisMachine: Self.namesThisMachine(host)
    case .local: Self.namesThisMachine(host) || Self.isLocal(host)
    case .any: true
    }
  }

  private static func namesThisMachine(_ host: String) -> Bool {
    let name = name(of: host)
    return name == "localhost" || name == "[::1]" || isAddress(name) && name.hasPrefix("127.")
  }

  private static func isLocal(_ host: String) -> Bool {
    let name = name(of: host)
    return isAddress(name) || name.hasPrefix("[") || !name.isEmpty && !name.contains(".")
  }

  /// Returns the host without its port, in lower case. Returns an empty name if the text is not a
  /// host.
  private static func name(of host: String) -> String {
    let end = host.hasPrefix("[") ? host.firstIndex(of: "]").map(host.index(after:)) : nil
    let name = host[..<(end ?? host.firstIndex(of: ":") ?? host.endIndex)]
    guard name.endIndex == host.endIndex || host[name.endIndex] == ":" else { return "" }
    return name.lowercased()
  }

  private static func isAddress(_ name: String) -> Bool {
    let numbers = name.split(separator: ".", omittingEmptySubsequences: false)
    return numbers.count == 4 && numbers.allSatisfy { UInt8($0) != nil }
  }
}

/// The rule that keeps web pages of other sites from opening WebSockets.
///
/// A browser lets every page open a WebSocket to every server, and names the page's origin. Programs
/// name none.
public struct OriginRule: Sendable {
  private let origins: Set<String>
  private let rule: BrowserRule

  /// Allows the pages of these origins, such as `https://app.example`, and those that `rule` allows.
  public init(_ origins: [String], or rule: BrowserRule) {
    self.origins = Set(origins)
    self.rule = rule
  }

  /// Returns whether a request may open a WebSocket.
  public func allows(_ request: HTTPRequest) -> Bool {
    guard let origin = request.headers["origin"] else { return true }
    return origins.contains(origin) || rule.allows(request)
  }
}
