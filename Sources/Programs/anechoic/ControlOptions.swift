internal import ArgumentParser
internal import CommandLineSupport
internal import GRPCTransport
internal import VoiceClient

/// The options of every command that controls a server: on sessions, profiles and headsets.
///
/// The group ServerOptions would be one level more. In debug builds, ArgumentParser checks a group five
/// times for each level above it, so that a command with four levels needs a second to start.
struct ControlOptions: ParsableArguments {
  @Option(help: ServerOptions.serverHelp)
  var server = ServerOptions.usualServer

  @OptionGroup(title: "Connection") var connection: ServerAccess
  @OptionGroup var identity: ClientOption

  @Flag(help: "Print JSON, one object per line.")
  var json = false

  func validate() throws { try connection.validate(for: server) }

  /// Runs `body` with a client of the server's sessions.
  func withClient(_ body: (SessionsClient) async throws -> Void) async throws {
    try await run(body) { try await connection.sessionsClient(of: server, as: identity) }
  }

  /// Runs `body` with a client of the server's profiles.
  func withProfiles(_ body: (ProfilesClient) async throws -> Void) async throws {
    try await run(body) { try await connection.profilesClient(of: server, as: identity) }
  }

  /// Runs `body` with a client of the server's arbiter.
  func withArbiter(_ body: (RoutingClient) async throws -> Void) async throws {
    try await run(body) { try await connection.routingClient(of: server, as: identity) }
  }

  /// Runs `body` with the client that `connect` returns. A failure names the server.
  private func run<Client>(
    _ body: (Client) async throws -> Void, with connect: () async throws -> Client
  ) async throws {
    do {
      try await body(try await connect())
    } catch let status as Status {
      throw CommandError(status, server: server)
    }
  }
}
