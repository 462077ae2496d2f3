/// The protection of a server's connections. Connections on unix sockets are always plaintext.
public enum ServerSecurity: Sendable {
  case plaintext
  /// TLS. If there are client authorities, each client has to show a certificate of one of them.
  case tls(identity: CertificateIdentity, clientAuthorities: CertificateAuthorities? = nil)
}
