internal import AnechoicAPI
internal import ArgumentParser
internal import CommandLineSupport
internal import GRPCTransport
internal import SwiftProtobuf
internal import VoiceClient

struct SessionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions",
    abstract: "Show and control the running sessions of a server.",
    discussion: """
      A session is named by its id, or by sessions/ID:
        anechoic process --server 127.0.0.1:50051 --session-id call-1 \\
          --pacing real-time --loop --microphone mic.wav --output voice.wav &
        anechoic sessions watch call-1 &
        anechoic sessions mute call-1
        anechoic sessions set call-1 preferred_mic_mode=VOICE_ISOLATION
      """,
    subcommands: [
      ListSessions.self, ShowSession.self, WatchSession.self, MuteSession.self,
      UnmuteSession.self, ReportMuteGesture.self, SetSession.self, DeleteSession.self,
    ])
}

/// The name of a session, as an argument.
struct SessionName: ExpressibleByArgument, CustomStringConvertible {
  private static let collection = "sessions/"

  /// The resource name, `sessions/ID`.
  let description: String

  init?(argument: String) {
    guard !argument.isEmpty, argument != Self.collection else { return nil }
    description =
      argument.hasPrefix(Self.collection) ? argument : Self.collection + argument
  }
}

struct ListSessions: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List all sessions, one per line.")

  @OptionGroup var options: ControlOptions

  func run() async throws {
    try await options.withClient { client in
      let sessions = try await client.list()
      let output = try LineFile("-")
      for session in sessions {
        try output.show(options.json ? session.jsonLine() : session.line)
      }
      if sessions.isEmpty { standardError("no session is running\n") }
    }
  }
}

struct ShowSession: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show the state, the configuration and the statistics of a session.")

  @Argument(help: "The session: ID or sessions/ID.")
  var name: SessionName

  @OptionGroup var options: ControlOptions

  func run() async throws {
    try await options.withClient { client in
      let session = try await client.get(name.description)
      try LineFile("-").show(options.json ? session.jsonLine() : session.page)
    }
  }
}

struct WatchSession: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Show the events of a session until it ends, or until Ctrl-C.",
    discussion: """
      The command shows the current state of the session, and then every event in order. With --from \
      it starts with earlier events, as far as the server still has them.
      """)

  @Argument(help: "The session: ID or sessions/ID.")
  var name: SessionName

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The id of the first event to show; 1 shows all.", valueName: "event"))
  var from: UInt64?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Show statistics too, at this interval: 1s, 500ms, from 100ms to 1h.", valueName: "time"))
  var stats: DurationArgument?

  @OptionGroup var options: ControlOptions

  func validate() throws {
    let interval = stats?.duration ?? .seconds(1)
    guard (.milliseconds(100) ... .seconds(3600)).contains(interval) else {
      throw ValidationError("--stats must be from 100ms to 1h.")
    }
  }

  func run() async throws {
    try await options.withClient { client in
      let stream = try await client.watch(
        name.description, fromEvent: from, statsInterval: stats?.duration)
      let output = try LineFile("-")
      while let response = try await stream.receive() {
        try output.show(options.json ? response.jsonLine() : response.line)
      }
    }
  }
}

struct DeleteSession: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "End a session.")

  @Argument(help: "The session: ID or sessions/ID.")
  var name: SessionName

  @OptionGroup var options: ControlOptions

  func run() async throws {
    try await options.withClient { client in
      try await client.delete(name.description)
      let answer = Anechoic_V1_DeleteSessionResponse()
      try LineFile("-").show(options.json ? answer.jsonLine() : "deleted \(name)")
    }
  }
}
