internal import ArgumentParser
internal import CommandLineSupport
internal import Settings
internal import VoiceEdge

/// Checks the settings without starting an agent.
struct CheckConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check-config",
    abstract: "Check the configuration file, the environment, and the files that they name.",
    discussion: """
      Exits with 0 if an agent could start with the settings. Otherwise prints one line that \
      names the file, the line and the key, or the variable, and exits with 2. Devices and \
      addresses are not tried. Former names of keys, and settings that have no effect together \
      with the others, are reported on standard error.

        anechoic-edge check-config
        anechoic-edge check-config edge.yaml --print
      """)

  @Argument(
    help: ArgumentHelp("The configuration file. (default: that of --config)", valueName: "file"))
  var file: String?

  @OptionGroup var option: ConfigurationFileOption

  @Flag(help: "Print every setting with its value and the place where it is set.")
  var print = false

  @Flag(help: "Print a sample file with every key.")
  var sample = false

  @Flag(help: .init("Print the table of docs/reference/edge.md.", visibility: .hidden))
  var reference = false

  func validate() throws {
    guard file == nil || option.config == nil else {
      throw ValidationError("Name the configuration file once.")
    }
  }

  func run() throws {
    if sample { return Swift.print(EdgeConfiguration.sample, terminator: "") }
    if reference { return Swift.print(EdgeConfiguration.table.reference(), terminator: "") }
    let settings = try EdgeSettings(file: file ?? option.config)
    if print { Swift.print(EdgeConfiguration.table.listing(settings.settings), terminator: "") }
    _ = try settings.configuration()
  }
}
