internal import ArgumentParser
internal import CommandLineSupport
internal import GRPCTransport
internal import VoiceClient

/// A server to ask, and how to reach it.
struct ServerOption: ParsableArguments {
  @Option(help: "The server: HOST:PORT or unix:PATH.")
  var server = "127.0.0.1:50051"

  @OptionGroup var security: SecurityOptions

  func validate() throws { try security.validate(for: server) }

  func client() throws(CommandFailure) -> VoiceProcessingClient {
    VoiceProcessingClient(server: server, security: try security.channelSecurity())
  }

  func sessionsClient(as identity: ClientOption) throws(CommandFailure) -> SessionsClient {
    SessionsClient(
      server: server, clientName: identity.client.description,
      security: try security.channelSecurity())
  }
}

extension CommandFailure {
  /// What a server, or the way to it, answered.
  init(_ status: Status, server: String) {
    let refusal = status.isCertificateRefusal ? "the server's certificate is refused: " : ""
    // A server may send lines.
    let words = status.description.split(whereSeparator: \.isNewline).joined(separator: " ")
    self.init("\(server): \(refusal)\(words)")
  }
}
