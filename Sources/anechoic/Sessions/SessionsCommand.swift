internal import AnechoicAPI
internal import ArgumentParser
internal import CommandLineSupport
internal import GRPCTransport
internal import VoiceClient

struct SessionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions",
    abstract: "See and steer the sessions that run on a server.",
    discussion: """
      A session goes by its id, or by its name, sessions/ID:
        anechoic process --microphone mic.wav --output voice.wav --pacing real-time \\
          --server 127.0.0.1:50051 --session-id call-1 &
        anechoic sessions watch call-1 &
        anechoic sessions mute call-1
        anechoic sessions set call-1 preferred_mic_mode=VOICE_ISOLATION
      """,
    subcommands: [
      ListSessions.self, ShowSession.self, WatchSession.self, MuteSession.self,
      UnmuteSession.self, ReportMuteGesture.self, SetSession.self, DeleteSession.self,
    ])
}

/// What every command on sessions takes.
struct SessionsOptions: ParsableArguments {
  @OptionGroup var target: ServerOption
  @OptionGroup var identity: ClientOption

  @Flag(help: "JSON, one object a line, for programs.")
  var json = false

  /// Runs `body` as a client of the server, and says which server it was that failed.
  func withClient(_ body: (SessionsClient) async throws -> Void) async throws {
    do {
      try await body(target.sessionsClient(as: identity))
    } catch let status as Status {
      throw CommandFailure(status, server: target.server)
    }
  }
}

/// Which session.
struct SessionName: ExpressibleByArgument, CustomStringConvertible {
  private static let collection = "sessions/"

  /// As the server has it, `sessions/ID`.
  let description: String

  init?(argument: String) {
    guard !argument.isEmpty, argument != Self.collection else { return nil }
    description =
      argument.hasPrefix(Self.collection) ? argument : Self.collection + argument
  }
}
