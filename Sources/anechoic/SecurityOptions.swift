internal import ArgumentParser
internal import CommandLineSupport
internal import GRPCTransport

/// How the connection to a server is protected.
struct SecurityOptions: ParsableArguments {
  @Flag(help: "Encrypt the connection, and verify the server's certificate.")
  var tls = false

  @Option(
    help: ArgumentHelp(
      "PEM with whom to trust, for --tls. (default: whom the system trusts)", valueName: "file"))
  var caFile: String?

  @Option(
    help: ArgumentHelp(
      "PEM with this client's own certificate, for a server that asks for one.",
      valueName: "file"))
  var certificate: String?

  @Option(help: ArgumentHelp("PEM with the key to --certificate.", valueName: "file"))
  var key: String?

  @Option(
    help: ArgumentHelp(
      "The name in the server's certificate. (default: the host of --server)", valueName: "name"))
  var tlsServerName: TLSServerName?

  /// Every other option of TLS asks for it too.
  var isTLS: Bool {
    tls || caFile != nil || certificate != nil || key != nil || tlsServerName != nil
  }

  func validate() throws {
    guard (certificate == nil) == (key == nil) else {
      throw ValidationError("--certificate and --key go together.")
    }
  }

  /// To be called by what knows the server; nil is the one inside the command.
  func validate(for server: String?) throws {
    guard isTLS else { return }
    guard let server else { throw ValidationError("TLS goes with --server.") }
    guard !server.hasPrefix("unix:") else {
      throw ValidationError("There is no TLS on unix sockets.")
    }
  }

  /// Reads the files.
  func channelSecurity() throws(CommandFailure) -> ChannelSecurity {
    guard isTLS else { return .plaintext }
    return try CertificateFiles.channelSecurity(
      authorities: caFile.map { CertificateFile($0) },
      certificate: certificate.map { CertificateFile($0) }, key: key.map { CertificateFile($0) },
      serverName: tlsServerName?.description)
  }
}

/// A host's name or address, such as a certificate can hold.
struct TLSServerName: ExpressibleByArgument {
  let description: String

  init?(argument: String) {
    guard !argument.isEmpty, argument.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
      return nil
    }
    description = argument
  }
}
