internal import ArgumentParser
internal import CommandLineSupport
internal import Foundation
internal import LayeredSettings
internal import ServerSettings

/// The settings on a command line, and the file with the others.
struct SettingsOptions: ParsableArguments {
  @OptionGroup var file: SettingsFileOption
  @OptionGroup(title: "Listeners") var listen: SettingFlags<ListenFlags>
  @OptionGroup(title: "TLS") var tls: SettingFlags<TLSFlags>
  @OptionGroup(title: "Authentication") var authentication: SettingFlags<AuthenticationFlags>
  @OptionGroup(title: "Sessions") var sessions: SettingFlags<SessionsFlags>
  @OptionGroup(title: "Limits") var limits: SettingFlags<LimitsFlags>
  @OptionGroup(title: "Log") var log: SettingFlags<LogFlags>

  var sources: SettingsSources {
    SettingsSources(
      file: file.config,
      flags: listen.given + tls.given + authentication.given + sessions.given + limits.given
        + log.given,
      environment: ProcessInfo.processInfo.environment)
  }
}

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
        ? ValidationError("\(error).") : CommandFailure(error.description) as any Error
    }
  }
}
