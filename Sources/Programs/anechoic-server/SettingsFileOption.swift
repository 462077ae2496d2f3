internal import ArgumentParser
internal import CommandLineSupport
internal import Settings

/// The option that names the settings file.
struct SettingsFileOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The settings file. (default: \(SettingsSources.fileVariable), or \
      \(SettingsSources.defaultFile) if it exists)
      """, valueName: "file"))
  var config: String?
}

extension SettingsSources {
  /// Reads the settings. Wrong flags are wrong usage.
  func readForCommand() throws -> LayeredValues<ServerSettings> {
    do {
      return try read()
    } catch let error as SettingsError {
      throw error.isOfFlag
        ? ValidationError("\(error).") : CommandError(error.description) as any Error
    }
  }
}

/// A section of the server's settings, as a group of flags.
protocol ServerFlagSection: FlagSection where Values == ServerSettings {}

extension ServerFlagSection {
  static var table: SettingsTable<ServerSettings> { ServerSettings.table }
}

enum ListenFlags: ServerFlagSection { static let name = "listen" }
enum TLSFlags: ServerFlagSection { static let name = "tls" }
enum AuthenticationFlags: ServerFlagSection { static let name = "authentication" }
enum SessionsFlags: ServerFlagSection { static let name = "sessions" }
enum LimitsFlags: ServerFlagSection { static let name = "limits" }
enum LogFlags: ServerFlagSection { static let name = "log" }
enum TracingFlags: ServerFlagSection { static let name = "tracing" }
