internal import ArgumentParser
internal import CommandLineSupport
internal import Settings
internal import VoiceEdge

/// A section of the agent's settings, as a group of flags.
protocol EdgeFlagSection: FlagSection where Values == EdgeConfiguration {}

extension EdgeFlagSection {
  static var table: SettingsTable<EdgeConfiguration> { EdgeConfiguration.table }
}

enum ServerFlags: EdgeFlagSection { static let name = "server" }
enum SessionFlags: EdgeFlagSection { static let name = "session" }
enum AudioFlags: EdgeFlagSection { static let name = "audio" }
enum RoutesFlags: EdgeFlagSection { static let name = "routes" }
enum RoutingFlags: EdgeFlagSection { static let name = "routing" }
enum ProgramsFlags: EdgeFlagSection { static let name = "programs" }
enum CallsFlags: EdgeFlagSection { static let name = "calls" }
enum MicrophoneFlags: EdgeFlagSection { static let name = "microphone" }
enum MuteFlags: EdgeFlagSection { static let name = "mute" }
enum InjectionFlags: EdgeFlagSection { static let name = "injection" }
enum KeysFlags: EdgeFlagSection { static let name = "keys" }
/// The keys outside of sections.
enum OtherFlags: EdgeFlagSection { static let name = "" }

/// The option that names the configuration file.
struct ConfigurationFileOption: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The configuration file. (default: \(EdgeSettings.defaultFile), if it exists)",
      valueName: "file"))
  var config: String?
}
