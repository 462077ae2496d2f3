internal import ArgumentParser
internal import CommandLineSupport
internal import GRPCTransport

/// The options for TLS and client certificates on the addresses of a server.
struct ListenerSecurityOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The server's certificate and its intermediate certificates, a PEM file. Enables TLS on every \
      address except unix sockets. (default: plaintext)
      """, valueName: "file"))
  var tlsCertificate: String?

  @Option(
    help: ArgumentHelp("The private key of --tls-certificate, a PEM file.", valueName: "file"))
  var tlsKey: String?

  @Option(
    help: ArgumentHelp(
      "Accept only clients with a certificate of the authorities in this PEM file.",
      valueName: "file"))
  var tlsClientCa: String?

  func validate() throws {
    guard (tlsCertificate == nil) == (tlsKey == nil) else {
      throw ValidationError("--tls-certificate and --tls-key must be given together.")
    }
    guard tlsClientCa == nil || tlsCertificate != nil else {
      throw ValidationError("--tls-client-ca needs --tls-certificate.")
    }
  }

  /// Reads the certificate files. Returns the security of the listeners.
  func serverSecurity() throws(CommandFailure) -> ServerSecurity {
    guard let tlsCertificate, let tlsKey else { return .plaintext }
    let identity = try CertificateFiles.identity(
      certificate: CertificateFile(tlsCertificate), key: CertificateFile(tlsKey))
    guard let tlsClientCa else { return .tls(identity: identity) }
    return .tls(
      identity: identity,
      clientAuthorities: try CertificateFiles.authorities(CertificateFile(tlsClientCa)))
  }
}
