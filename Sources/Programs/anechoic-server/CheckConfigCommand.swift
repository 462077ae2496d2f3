internal import ArgumentParser
internal import CommandLineSupport
internal import Foundation
internal import Settings

/// Checks the settings without starting a server.
struct CheckConfigCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check-config",
    abstract: "Check the settings file, the environment, and the files that they name.",
    discussion: """
      Prints nothing and exits with 0 if a server could start with the settings. Otherwise prints one \
      line that names the file, the line and the key, or the variable, and exits with 2. Addresses \
      are not tried.

        anechoic-server check-config
        anechoic-server check-config server.yaml --print
      """)

  @Argument(
    help: ArgumentHelp("The settings file. (default: that of --config)", valueName: "file"))
  var file: String?

  @OptionGroup var option: SettingsFileOption

  @Flag(help: "Print every setting with its value and the place where it is set.")
  var print = false

  @Flag(help: "Print a sample file with every key.")
  var sample = false

  @Flag(help: .init("Print the table of docs/reference/configuration.md.", visibility: .hidden))
  var reference = false

  func validate() throws {
    guard file == nil || option.config == nil else {
      throw ValidationError("Name the settings file once.")
    }
  }

  func run() async throws {
    if sample { return Swift.print(ServerSettings.sample, terminator: "") }
    if reference { return Swift.print(ServerSettings.table.reference(), terminator: "") }
    let settings = try SettingsSources(
      file: file ?? option.config, environment: ProcessInfo.processInfo.environment
    ).readForCommand()
    if print { Swift.print(ServerSettings.table.listing(settings), terminator: "") }
    _ = try settings.prepared { _ in }
    try settings.checkAuditLog()
  }
}
