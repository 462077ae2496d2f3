import GRPCTransport
import TestCredentials

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

  /// Python code that defines `read(file)`, which returns the bytes of one of these files.
  var reader: String { "read = lambda file: open('\(path(""))/' + file, 'rb').read()" }

  /// Returns options of a server on loopback with the certificate of this name.
  func serverOptions(_ name: String, clientAuthority: String? = nil) throws -> Server.Options {
    var options = Server.Options.loopback
    options.security = .tls(
      identity: try identity(name),
      clientAuthorities: try clientAuthority.map { try authorities($0) })
    return options
  }
}
