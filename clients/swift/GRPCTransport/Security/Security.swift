internal import CGRPC

/// The protection of a client's connection. A connection to a unix socket is always plaintext.
public enum ChannelSecurity: Sendable {
  case plaintext
  /// TLS. The server has to show a certificate of one of the authorities, by default of those that the
  /// system trusts. The certificate has to contain the server's name, by default the host of the
  /// target. `identity` is shown to a server that asks for a certificate.
  case tls(
    authorities: CertificateAuthorities? = nil, identity: CertificateIdentity? = nil,
    serverName: String? = nil)

  /// Whether the connection is encrypted.
  public var isEncrypted: Bool { if case .tls = self { true } else { false } }
}

/// The protection of a server's connections. Connections on unix sockets are always plaintext.
public enum ServerSecurity: Sendable {
  case plaintext
  /// TLS. If there are client authorities, each client has to show a certificate of one of them.
  case tls(identity: CertificateIdentity, clientAuthorities: CertificateAuthorities? = nil)

  /// Whether connections are encrypted.
  public var isEncrypted: Bool { if case .tls = self { true } else { false } }

  /// The certificate and the key of the server, or nil without TLS.
  public var identity: CertificateIdentity? {
    if case .tls(let identity, _) = self { identity } else { nil }
  }

  /// Whether each client has to show a certificate.
  public var verifiesClients: Bool {
    if case .tls(_, clientAuthorities: .some) = self { true } else { false }
  }
}

extension ChannelSecurity {
  /// Lends the settings to C while `body` runs. Nil means plaintext.
  func withC<Result>(_ body: (UnsafePointer<cgrpc_tls>?) -> Result) -> Result {
    guard case .tls(let authorities, let identity, let serverName) = self else { return body(nil) }
    return withTLS(authorities, identity) { tls in
      guard let serverName else { return body(&tls) }
      return serverName.withCString { name in
        tls.server_name = name
        return body(&tls)
      }
    }
  }
}

extension ServerSecurity {
  /// Lends the settings to C while `body` runs. Nil means plaintext.
  func withC<Result>(_ body: (UnsafePointer<cgrpc_tls>?) -> Result) -> Result {
    guard case .tls(let identity, let clientAuthorities) = self else { return body(nil) }
    return withTLS(clientAuthorities, identity) { body(&$0) }
  }
}

private func withTLS<Result>(
  _ authorities: CertificateAuthorities?, _ identity: CertificateIdentity?,
  _ body: (inout cgrpc_tls) -> Result
) -> Result {
  (authorities?.pem ?? []).withUnsafeBytes { authorities in
    (identity?.certificateChain ?? []).withUnsafeBytes { chain in
      (identity?.key ?? []).withUnsafeBytes { key in
        var tls = cgrpc_tls(
          authorities: authorities.c, certificate_chain: chain.c, key: key.c, server_name: nil)
        return body(&tls)
      }
    }
  }
}
