/// The protection of a server's connections. Connections on unix sockets are always plaintext.
public enum ServerSecurity: Sendable {
  case plaintext
  /// TLS. If there are client authorities, each client has to show a certificate of one of them.
  case tls(identity: CertificateIdentity, clientAuthorities: CertificateAuthorities? = nil)

  /// Whether connections are encrypted.
  public var isEncrypted: Bool { if case .tls = self { true } else { false } }

  /// Whether each client has to show a certificate.
  public var verifiesClients: Bool {
    if case .tls(_, clientAuthorities: .some) = self { true } else { false }
  }
}
