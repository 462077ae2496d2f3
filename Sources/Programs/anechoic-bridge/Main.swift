internal import AnechoicAPI
internal import ArgumentParser
internal import CommandLineSupport

@main
enum Main {
  static func main() async {
    await AnechoicBridge.runToExit()
  }
}

struct AnechoicBridge: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "anechoic-bridge",
    abstract: "Put Anechoic between two programs that exchange the audio of calls.",
    discussion: """
      Exits with 0 after SIGTERM or SIGINT, with 2 and one line on standard error if something cannot \
      be done, and with 64 for wrong usage.
      """,
    version: Build.version,
    subcommands: [AudioSocketCommand.self, RealtimeCommand.self, MediaStreamsCommand.self])
}
