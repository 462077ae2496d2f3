internal import AnechoicAPI
internal import ArgumentParser
internal import CommandLineSupport

@main
enum Main {
  static func main() async {
    await Anechoic.runToExit()
  }
}

struct Anechoic: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "anechoic",
    abstract:
      "Voice processing for recordings, and for servers: their sessions, health and limits.",
    version: anechoicVersion,
    subcommands: [
      ProcessCommand.self, SessionsCommand.self, InjectCommand.self, RecordCommand.self,
      ReplayCommand.self, HealthCommand.self, CapabilitiesCommand.self,
    ])
}
