internal import GRPCTransport

/// Whether the HTTP listener serves the live page.
public enum LivePageMode: String, Sendable, CaseIterable {
  /// Serves those who could reach the sessions anyway.
  case auto
  /// Serves all who reach the listener.
  case on
  case off
}

extension ServerSettings {
  /// The clients that the live page serves.
  public enum LivePageAccess: Equatable, Sendable {
    /// Clients that authenticate.
    case authenticated
    /// All clients that reach the HTTP address.
    case everyone
    /// None, for this reason.
    case nobody(String)
  }

  /// The access to the live page. In the mode `auto`, the page opens nothing that was closed before.
  public var livePageAccess: LivePageAccess {
    switch livePage {
    case .off: return .nobody("the live page is off; start the server with --live-page auto")
    case _ where ![nil, AuthenticationSettings.Mode.none].contains(authentication.mode):
      return .authenticated
    case .on: return .everyone
    case .auto: return refusal.map { .nobody($0) } ?? .everyone
    }
  }

  /// The reason why the page is off in the mode `auto` without authentication, or nil.
  private var refusal: String? {
    let reason: String
    if ServerAddress(httpListen)?.isLocal != true {
      reason = "other machines reach this address, which asks for no credentials"
    } else if tlsClientAuthorities != nil {
      reason = "this server accepts only clients with a certificate, and this address has no TLS"
    } else if !listen.contains(where: Self.hasPort) {
      reason = "all programs of this machine reach this address, and only some the unix sockets"
    } else {
      return nil
    }
    return "the live page is off: \(reason); use --authentication jwt, or --live-page on"
  }

  private static func hasPort(_ text: String) -> Bool {
    if case .host = ServerAddress(text) { true } else { false }
  }
}
