internal import Operations

/// The settings of the pages and of WebSockets.
struct PageSettings: Sendable {
  /// A page for people.
  struct Page: Sendable {
    let name: String
    let path: String
  }

  let live: ServerSettings.PageAccess
  let webSocket: ServerSettings.PageAccess
  let trying: ServerSettings.PageAccess
  /// The sites whose pages may open WebSockets.
  let origins: [String]

  init(_ settings: ServerSettings) {
    live = settings.livePageAccess
    webSocket = settings.webSocketAccess
    trying = settings.tryPageAccess
    origins = settings.allowedOrigins
  }

  /// The pages that are not switched off.
  var served: [Page] {
    let pages = [(live, "live page", "/live"), (trying, "page to try it", "/try")]
    return pages.filter { $0.0.refusal == nil }.map { Page(name: $0.1, path: $0.2) }
  }
}

extension ServerSettings.PageAccess {
  /// The hosts that a browser may name. A token belongs to the host that the browser got it for, and a
  /// browser accepts a certificate only for the names in it, so that every name is safe with either.
  func rule(isLoopback: Bool, isEncrypted: Bool) -> BrowserRule {
    switch self {
    case _ where isEncrypted: BrowserRule(.any)
    case .authenticated: BrowserRule(.any)
    case .everyone, .nobody: BrowserRule(isLoopback ? .thisMachine : .local)
    }
  }

  var refusal: String? { if case .nobody(let reason) = self { reason } else { nil } }
}
