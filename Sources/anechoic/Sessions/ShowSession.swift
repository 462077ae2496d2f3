internal import AnechoicAPI
internal import ArgumentParser
internal import VoiceClient

struct ShowSession: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show the state, the configuration and the statistics of a session.")

  @Argument(help: "ID or sessions/ID.")
  var name: SessionName

  @OptionGroup var options: SessionsOptions

  func run() async throws {
    try await options.withClient { client in
      let session = try await client.get(name.description)
      try LineFile("-").write(options.json ? session.jsonLine() : session.page)
    }
  }
}
