internal import AnechoicAPI
internal import ArgumentParser
internal import CommandLineSupport
internal import SpatialAudio

@main
enum Main {
  static func main() async {
    ProfileReader.runIfAsked()
    await Anechoic.runToExit()
  }
}

struct Anechoic: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "anechoic",
    abstract:
      "Process recordings, and control the sessions of an Anechoic server.",
    discussion: """
      Exits with 0 on success, with 2 and one line on standard error if something cannot be done, \
      with 64 for wrong usage, and with 130 after Ctrl-C. Commands with other codes list them in \
      their own help.
      """,
    version: Build.version,
    subcommands: [
      ProcessCommand.self, ReportCommand.self, SessionsCommand.self, RoutingCommand.self,
      InjectCommand.self, RecordCommand.self, ReplayCommand.self, ProfilesCommand.self,
      HealthCommand.self, CapabilitiesCommand.self,
    ])
}

/// Writes a warning in one line to standard error.
func warn(_ warning: String) { standardError("anechoic: warning: \(warning)\n") }
