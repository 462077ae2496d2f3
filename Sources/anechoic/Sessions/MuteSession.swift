internal import AnechoicAPI
internal import ArgumentParser
internal import VoiceClient

struct MuteSession: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mute",
    abstract: "Mute a session: its processed voice becomes silence.")

  @OptionGroup var change: MuteOptions

  func run() async throws { try await change.run(muted: true) }
}

struct UnmuteSession: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unmute",
    abstract: "Unmute a session.")

  @OptionGroup var change: MuteOptions

  func run() async throws { try await change.run(muted: false) }
}

struct MuteOptions: ParsableArguments {
  @Argument(help: "ID or sessions/ID.")
  var name: SessionName

  @Option(
    help: ArgumentHelp(
      "Only if the mute state is still of this generation, which grows with every change.",
      valueName: "generation"))
  var ifGeneration: UInt64?

  @OptionGroup var options: SessionsOptions

  func run(muted: Bool) async throws {
    try await options.withClient { client in
      let state = try await client.setMute(
        name.description, muted: muted, ifGeneration: ifGeneration)
      try LineFile("-").write(options.json ? state.jsonLine() : state.phrase)
    }
  }
}
