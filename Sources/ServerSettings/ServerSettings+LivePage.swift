internal import GRPCTransport

extension ServerSettings {
  /// The clients that the live page serves.
  public enum LivePageAccess: Equatable, Sendable {
    /// Clients with a token.
    case authenticated
    /// All clients that reach the HTTP address.
    case everyone
    /// None, for this reason.
    case nobody(String)
  }

  /// The access to the live page. Without authentication, the page serves a client only if the client
  /// could also reach an address for clients, so that the page opens nothing that was closed before.
  public var livePageAccess: LivePageAccess {
    guard livePage else {
      return .nobody("the live page is switched off; start the server with --live-page")
    }
    guard [nil, AuthenticationSettings.Mode.none].contains(authentication.mode) else {
      return .authenticated
    }
    guard tlsClientAuthorities == nil else {
      return .nobody(
        "the live page is off: this server accepts only clients with a certificate, and this address "
          + "has no TLS; use --authentication jwt")
    }
    let isLocal = ServerAddress(httpListen)?.isLocal ?? false
    let opens = listen.contains { text in
      guard let address = ServerAddress(text), case .host = address else { return false }
      return isLocal || !address.isLocal
    }
    guard opens else {
      return .nobody(
        "the live page is off: fewer clients reach the addresses of --listen than this one, which asks "
          + "for no credentials; use --authentication jwt")
    }
    return .everyone
  }
}
