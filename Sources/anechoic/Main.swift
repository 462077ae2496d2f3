internal import ArgumentParser
internal import CommandLineSupport
internal import VoiceServer

@main
enum Main {
  static func main() async {
    await Anechoic.runToExit()
  }
}

struct Anechoic: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "anechoic",
    abstract: "Voice processing for recordings, and a look at servers that do it for streams.",
    version: anechoicVersion,
    subcommands: [ProcessCommand.self, HealthCommand.self, CapabilitiesCommand.self])
}
