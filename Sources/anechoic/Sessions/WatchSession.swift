internal import AnechoicAPI
internal import ArgumentParser
internal import SwiftProtobuf
internal import VoiceClient

struct WatchSession: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Show what happens in a session, until it ends or Ctrl-C.",
    discussion: """
      First what the session is now, then every event without holes: those to come, or with \
      --from all that the server still has.
      """)

  @Argument(help: "ID or sessions/ID.")
  var name: SessionName

  @Option(help: ArgumentHelp("The id of the first event to show; 1 for all.", valueName: "event"))
  var from: UInt64?

  @Option(help: ArgumentHelp("Show statistics too, every so many seconds.", valueName: "seconds"))
  var stats: Double?

  @OptionGroup var options: SessionsOptions

  func validate() throws {
    guard (0.1...3600).contains(stats ?? 1) else {
      throw ValidationError("--stats takes 0.1 to 3600.")
    }
  }

  func run() async throws {
    try await options.withClient { client in
      let stream = try await client.watch(
        name.description, fromEvent: from, statsInterval: stats.map { .seconds($0) })
      let output = try LineFile("-")
      while let response = try await stream.receive() {
        try output.write(options.json ? response.jsonLine() : response.line)
      }
    }
  }
}
