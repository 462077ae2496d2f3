internal import GRPCTransport

/// Whether the HTTP listener serves the live page, or WebSockets.
public enum PageMode: String, Sendable, CaseIterable {
  /// Serves those who could reach the sessions anyway.
  case auto
  /// Serves all who reach the listener.
  case on
  case off
}

extension ServerSettings {
  /// The clients that a part of the HTTP listener serves.
  public enum PageAccess: Equatable, Sendable {
    /// Clients that authenticate.
    case authenticated
    /// All clients that reach the HTTP address.
    case everyone
    /// None, for this reason.
    case nobody(String)
  }

  /// The access to the live page. In the mode `auto`, the page opens nothing that was closed before.
  public var livePageAccess: PageAccess {
    access(livePage, "the live page is off", flag: "--live-page")
  }

  /// The access to WebSockets. In the mode `auto`, they open nothing that was closed before.
  public var webSocketAccess: PageAccess {
    access(webSocket, "WebSockets are off", flag: "--websocket")
  }

  /// The access to the page on which people try the server. It needs WebSockets.
  public var tryPageAccess: PageAccess {
    guard tryPage else {
      return .nobody("this page is off; start the server without --no-try-page")
    }
    return webSocketAccess
  }

  private func access(_ mode: PageMode, _ off: String, flag: String) -> PageAccess {
    switch mode {
    case .off: return .nobody("\(off); start the server with \(flag) auto")
    case _ where ![nil, AuthenticationSettings.Mode.none].contains(authentication.mode):
      return .authenticated
    case .on: return .everyone
    case .auto:
      guard let danger else { return .everyone }
      return .nobody("\(off): \(danger); use --authentication jwt, or \(flag) on")
    }
  }

  /// The reason why the HTTP address must not reach sessions without authentication, or nil.
  private var danger: String? {
    if ServerAddress(httpListen)?.isLocal != true {
      return "other machines reach this address, which asks for no credentials"
    }
    if tlsClientAuthorities != nil {
      return "this server accepts only clients with a certificate, and this address asks for none"
    }
    if !listen.contains(where: Self.hasPort) {
      return "all programs of this machine reach this address, and only some the unix sockets"
    }
    return nil
  }

  private static func hasPort(_ text: String) -> Bool {
    if case .host = ServerAddress(text) { true } else { false }
  }
}
