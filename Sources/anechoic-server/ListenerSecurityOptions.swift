internal import ArgumentParser
internal import CommandLineSupport
internal import GRPCTransport

/// How the addresses that a server listens on are protected.
struct ListenerSecurityOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      PEM with the server's certificate and those between it and the one that clients trust: TLS on \
      every address but unix sockets. (default: plaintext)
      """, valueName: "file"))
  var tlsCertificate: String?

  @Option(help: ArgumentHelp("PEM with the key to --tls-certificate.", valueName: "file"))
  var tlsKey: String?

  @Option(
    help: ArgumentHelp(
      "PEM with whom to trust: clients then need a certificate from there.", valueName: "file"))
  var tlsClientCa: String?

  func validate() throws {
    guard (tlsCertificate == nil) == (tlsKey == nil) else {
      throw ValidationError("--tls-certificate and --tls-key go together.")
    }
    guard tlsClientCa == nil || tlsCertificate != nil else {
      throw ValidationError("--tls-client-ca goes with --tls-certificate.")
    }
  }

  /// Reads the files.
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
