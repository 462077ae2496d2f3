/// How the connections of a server are protected. Those of unix sockets never are.
public enum ServerSecurity: Sendable {
  case plaintext
  /// With `clientAuthorities`, clients are required to show a certificate that these vouch for.
  case tls(identity: CertificateIdentity, clientAuthorities: CertificateAuthorities? = nil)
}
