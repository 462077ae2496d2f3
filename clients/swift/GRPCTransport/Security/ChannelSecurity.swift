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
