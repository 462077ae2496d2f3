internal import ArgumentParser
internal import Authentication
internal import CommandLineSupport
internal import Foundation
internal import GRPCTransport
internal import LinuxSystem
internal import Operations
internal import Settings
internal import VoiceServer

/// Checks the settings without starting a server.
struct CheckConfigCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check-config",
    abstract: "Check the settings, and the files that they name.",
    discussion: """
      Prints nothing and exits with 0 if a server could start with the settings and clients could \
      use its certificates. Otherwise prints one line that names the file, the line and the key, or \
      the variable, and exits with 2. A certificate that expires within 14 days, a key of a set that \
      cannot be used, and a variable that is almost one of the server's are warnings. \
      Addresses are not tried. Give options of the server, such as --listen, to check them too.

      The check is made with the rights of the user who runs it. As root, name the user of the \
      service with --user. The unit of systemd makes the same check within its own limits on files \
      before it starts or reloads.

        anechoic-server check-config
        anechoic-server check-config server.yaml --print
        anechoic-server check-config --listen 0.0.0.0:50051 --max-sessions 20
        sudo anechoic-server check-config --user anechoic
      """)

  @Argument(
    help: ArgumentHelp("The settings file. (default: that of --config)", valueName: "file"))
  var file: String?

  @OptionGroup var option: SettingsFileOption
  @ParentCommand var server: ServeCommand

  @Option(
    help: ArgumentHelp(
      "Check what this user may read and write. Only root can ask for another user.",
      valueName: "name"))
  var user: String?

  @Flag(
    help: "Warn about a certificate that is not valid now, with which a server can start.")
  var allowExpired = false

  @Flag(help: "Print every setting with its value and the place where it is set.")
  var print = false

  @Flag(help: "Print a sample file with every key.")
  var sample = false

  @Flag(help: .init("Print the table of docs/reference/configuration.md.", visibility: .hidden))
  var reference = false

  func validate() throws {
    guard file == nil || option.config ?? server.file.config == nil else {
      throw ValidationError("Name the settings file once.")
    }
  }

  func run() async throws {
    if sample { return Swift.print(ServerSettings.sample, terminator: "") }
    if reference { return Swift.print(ServerSettings.table.reference(), terminator: "") }
    if let user { try ProcessUser.become(user) }
    let settings = try server.sources(file: file ?? option.config).readForCommand()
    if print { Swift.print(ServerSettings.table.listing(settings), terminator: "") }
    settings.warnings.forEach(Self.warn)
    let prepared = try Self.withoutMakingFolders(settings).prepared { _ in }
    if let warning = prepared.keys?.warning {
      Self.warn(settings.wrong("authentication.jwt_keys", warning).description)
    }
    try settings.checkAuditLog()
    try checkExpiry(of: UsedCertificate.all(of: prepared.configuration.security), settings)
  }

  /// Returns the settings without a folder for profiles that does not exist yet. Throws if a server could
  /// not make it.
  private static func withoutMakingFolders(
    _ settings: LayeredValues<ServerSettings>
  ) throws -> LayeredValues<ServerSettings> {
    guard let folder = settings.values.profilesDirectory, access(folder, F_OK) != 0 else {
      return settings
    }
    let parent = URL(fileURLWithPath: folder).deletingLastPathComponent().path
    guard access(parent, W_OK | X_OK) == 0 else {
      let problem = CommandError(systemErrorAt: folder).description
      throw CommandError(settings.wrong("sessions.profiles_directory", problem).description)
    }
    var settings = settings
    settings.values.profilesDirectory = nil
    return settings
  }

  private func checkExpiry(
    of certificates: [UsedCertificate], _ settings: LayeredValues<ServerSettings>
  ) throws {
    let now = Duration.now.components.seconds
    for certificate in certificates {
      let state = CertificateExpiry.state(of: certificate.validity, at: now)
      guard let words = state.words(certificate.validity) else { continue }
      let problem = settings.wrong(certificate.setting, words).description
      guard !state.isRefused || allowExpired else { throw CommandError(problem) }
      Self.warn(problem)
    }
  }

  private static func warn(_ problem: String) {
    standardError("\(JournalStream.warning)anechoic-server: warning: \(problem)\n")
  }
}
