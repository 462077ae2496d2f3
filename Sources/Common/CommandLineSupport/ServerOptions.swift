internal import AnechoicAPI
public import ArgumentParser
internal import Foundation
public import GRPCTransport
public import VoiceClient

/// The server that a command uses, and the connection to it.
public struct ServerOptions: ParsableArguments {
  @Option(help: Self.serverHelp)
  public var server = Self.usualServer

  @OptionGroup(title: "Connection") public var connection: ServerAccess

  public init() {}

  public static let usualServer = "127.0.0.1:50051"
  public static let serverHelp: ArgumentHelp =
    "The address of the server: HOST:PORT, [IPv6]:PORT or unix:PATH."

  public func validate() throws { try connection.validate(for: server) }

  /// Returns a client of the server, once the server listens.
  public func client() async throws -> VoiceProcessingClient {
    let security = try connection.channelSecurity()
    try await connection.waitForServer(at: server)
    return VoiceProcessingClient(
      server: server, security: security, credentials: connection.credentials)
  }

  /// Returns a client of the server's sessions, once the server listens.
  public func sessionsClient(as identity: ClientOption) async throws -> SessionsClient {
    try await connection.sessionsClient(of: server, as: identity)
  }
}

/// The options of a connection to a server, including TLS.
public struct ServerAccess: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      How long to wait for a server that refuses the connection because it is still starting: \
      500ms, 10s, 2m.
      """,
      valueName: "time"))
  public var connectTimeout = ServerWait.usual

  @Flag(help: "Encrypt the connection, and verify the server's certificate.")
  var tls = false

  @Option(
    help: ArgumentHelp(
      "Verify the server with the certificate authorities in this PEM file; implies --tls. "
        + "(default: the system's)", valueName: "file"))
  var caFile: String?

  @Option(
    help: ArgumentHelp(
      "The client's certificate, a PEM file, for a server that requires one; implies --tls.",
      valueName: "file"))
  var certificate: String?

  @Option(help: ArgumentHelp("The private key of --certificate, a PEM file.", valueName: "file"))
  var key: String?

  @Option(
    help: ArgumentHelp(
      "The name in the server's certificate; implies --tls. (default: the host of --server)",
      valueName: "name"))
  var tlsServerName: TLSServerName?

  @Option(
    help: ArgumentHelp(
      """
      A file with the token (JSON Web Token) for a server that requires one. The file is read again \
      when it changes.
      """, valueName: "file"))
  var tokenFile: String?

  public init() {}

  /// The source of the tokens that calls present, or nil.
  public var credentials: (any CredentialsProvider)? { tokenFile.map { TokenFile(path: $0) } }

  /// Returns the source of the tokens, after a first token was read. For a service, which would report a wrong
  /// file only with its first call.
  public func checkedCredentials() throws(CommandError) -> (any CredentialsProvider)? {
    let credentials = credentials
    do { _ = try credentials?.token() } catch { throw CommandError(error.message) }
    return credentials
  }

  private var isTLS: Bool {
    tls || caFile != nil || certificate != nil || key != nil || tlsServerName != nil
  }

  public func validate() throws {
    guard (certificate == nil) == (key == nil) else {
      throw ValidationError("--certificate and --key must be given together.")
    }
    guard connectTimeout.duration <= .seconds(3600) else {
      throw ValidationError("--connect-timeout must be at most 1h.")
    }
  }

  /// Checks the options together with the address of the server. Nil is the server inside the
  /// command.
  public func validate(for server: String?) throws {
    if let problem = server.flatMap(ServerAddress.connectingProblem) {
      throw ValidationError("--server: \(problem).")
    }
    if tokenFile != nil {
      guard let server else { throw ValidationError("--token-file needs --server.") }
      guard isTLS || ServerAddress(server)?.isLocal == true else {
        throw ValidationError(
          "--token-file: the token is not sent to \(server) without TLS; add --tls or --ca-file.")
      }
    }
    guard isTLS else { return }
    guard let server else { throw ValidationError("The TLS options need --server.") }
    guard !server.hasPrefix("unix:") else {
      throw ValidationError("The TLS options cannot be used with a unix socket.")
    }
  }

  /// Reads the certificate files.
  public func channelSecurity() throws(CommandError) -> ChannelSecurity {
    guard isTLS else { return .plaintext }
    return try CertificateFiles.channelSecurity(
      authorities: caFile.map { CertificateFile($0) },
      certificate: certificate.map { CertificateFile($0) }, key: key.map { CertificateFile($0) },
      serverName: tlsServerName?.description)
  }

  /// Returns a client of a server's sessions, once the server listens.
  public func sessionsClient(
    of server: String, as identity: ClientOption
  ) async throws -> SessionsClient {
    SessionsClient(
      server: server, clientName: identity.client.description,
      security: try await security(onceListening: server), credentials: credentials)
  }

  /// Returns a client of a server's arbiter of automatic switching, once the server listens.
  public func routingClient(
    of server: String, as identity: ClientOption
  ) async throws -> RoutingClient {
    RoutingClient(
      server: server, clientName: identity.client.description,
      security: try await security(onceListening: server), credentials: credentials)
  }

  /// Returns a client of a server's profiles, once the server listens.
  public func profilesClient(
    of server: String, as identity: ClientOption
  ) async throws -> ProfilesClient {
    ProfilesClient(
      server: server, clientName: identity.client.description,
      security: try await security(onceListening: server), credentials: credentials)
  }

  private func security(onceListening server: String) async throws -> ChannelSecurity {
    let security = try channelSecurity()
    try await waitForServer(at: server)
    return security
  }

  /// Returns once the server listens, or after --connect-timeout.
  public func waitForServer(at address: String) async throws {
    try await ServerWait.untilListening(at: address, atMost: connectTimeout.duration)
  }
}

/// The host name or address that a certificate contains.
public struct TLSServerName: ExpressibleByArgument {
  public let description: String

  public init?(argument: String) {
    guard !argument.isEmpty, argument.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
      return nil
    }
    description = argument
  }
}

/// The option for the client name of a command.
public struct ClientOption: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      The name of this client, in printable ASCII. Sessions, changes and permissions are recorded \
      under it.
      """,
      valueName: "name"))
  public var client = ClientName.login

  public init() {}
}

/// A valid name of a client.
public struct ClientName: ExpressibleByArgument, CustomStringConvertible {
  public let description: String

  /// The login name, or "anechoic" if the login name is not valid.
  public static var login: ClientName {
    ClientName(argument: NSUserName()) ?? ClientName(description: "anechoic")
  }

  public init?(argument: String) {
    guard ClientNameRule.allows(argument) else { return nil }
    description = argument
  }

  private init(description: String) { self.description = description }
}

extension CommandError {
  /// Creates a failure from the status of a call to a server.
  public init(_ status: Status, server: String) {
    let refusal =
      status.isCertificateRefusal ? "the certificate of the server is not accepted: " : ""
    // The message of a server may have several lines.
    let words = status.description.split(whereSeparator: \.isNewline).joined(separator: " ")
    let hint = status.connectionHint.map { "; \($0)" } ?? ""
    self.init("\(server): \(refusal)\(words)\(hint)")
  }
}
