internal import CGRPC

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
