/// How a client's connection is protected. To a unix socket it never is.
public enum ChannelSecurity: Sendable {
  case plaintext
  /// The server has to show a certificate that `authorities` vouch for (nil: those that the system
  /// trusts), with `serverName` in it (nil: the host of the target). `identity` is shown to a server
  /// that asks for one.
  case tls(
    authorities: CertificateAuthorities? = nil, identity: CertificateIdentity? = nil,
    serverName: String? = nil)
}
