import GRPCTransport
import TestCertificates

extension Certificates {
  func authorities(_ name: String) throws -> CertificateAuthorities {
    try CertificateAuthorities(pem: bytes("\(name).pem"))
  }

  func identity(_ name: String) throws -> CertificateIdentity {
    try CertificateIdentity(certificateChain: bytes("\(name).pem"), key: bytes("\(name).key"))
  }

  func channelSecurity(
    trusting authority: String = "ca", as name: String? = nil, serverName: String? = nil
  ) throws -> ChannelSecurity {
    .tls(
      authorities: try authorities(authority), identity: try name.map { try identity($0) },
      serverName: serverName)
  }

  /// Python that defines `read(file)`, the bytes of a file of these.
  var reader: String { "read = lambda file: open('\(path(""))/' + file, 'rb').read()" }

  /// Options of a server on loopback that shows the certificate of this name.
  func serverOptions(_ name: String, clientAuthority: String? = nil) throws -> Server.Options {
    var options = Server.Options.loopback
    options.security = .tls(
      identity: try identity(name),
      clientAuthorities: try clientAuthority.map { try authorities($0) })
    return options
  }
}
