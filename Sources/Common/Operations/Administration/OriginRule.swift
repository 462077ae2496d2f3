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

  /// Returns whether a request with these headers may open a WebSocket.
  public func allows(_ headers: [String: String]) -> Bool {
    guard let origin = headers["origin"] else { return true }
    return origins.contains(origin) || rule.allows(headers)
  }
}
