internal import CommandLineSupport
internal import Foundation
internal import GRPCTransport
internal import Settings
internal import VoiceClient
internal import VoiceEdge

/// The settings of an agent, and the configuration that it starts with.
struct EdgeSettings {
  static let defaultFile = "/etc/anechoic/anechoic-edge.yaml"

  let settings: LayeredValues<EdgeConfiguration>
  /// The name of the configuration file. Nil if there is none.
  let file: String?

  /// Reads the given file, or the default file if it exists, and the layers above it. Former names
  /// and settings without effect are reported on standard error, a line for each. Throws a
  /// `CommandError` that contains the error and its place.
  init(file: String?, flags: [GivenFlag] = []) throws(CommandError) {
    let name = file ?? Self.defaultFile
    let isThere = file != nil || FileManager.default.fileExists(atPath: name)
    self.file = isThere ? name : nil
    let text = isThere ? try SettingsFile.text(of: name) : ""
    do throws(SettingsError) {
      settings = try EdgeConfiguration.read(
        text, file: name,
        SettingsOverrides(flags, environment: ProcessInfo.processInfo.environment))
    } catch {
      throw Self.failure(error)
    }
    Self.report(settings.warnings[...])
  }

  private static func report(_ warnings: ArraySlice<String>) {
    for warning in warnings { standardError("anechoic-edge: \(warning)\n") }
  }

  /// Returns the failure for a wrong setting. A wrong flag is wrong usage.
  private static func failure(_ error: SettingsError) -> CommandError {
    CommandError(
      error.description, code: error.isOfFlag ? CommandError.wrongUsage : CommandError.failed)
  }

  /// Reads the files that the settings name, and looks at the places of the others. Reports those
  /// that the agent has to wait for on standard error.
  func configuration() throws(CommandError) -> EdgeConfiguration {
    var checked = settings
    do throws(SettingsError) {
      try checked.checkPrograms()
      try checked.checkFiles()
      try checkToken()
    } catch {
      throw Self.failure(error)
    }
    Self.report(checked.warnings.dropFirst(settings.warnings.count))
    var configuration = settings.values
    if let named = configuration.audio.tuning {
      configuration.tunings = try Self.tunings(named, for: configuration.routes.ports)
    }
    if let named = configuration.session.voiceprint {
      do { configuration.voiceprint = try VoiceprintFile.read(named.path) } catch {
        throw CommandError("\(named.place): \(error)")
      }
    }
    let files = configuration.server.files
    if files.isWanted { configuration.server.security = try Self.security(files) }
    return configuration
  }

  /// Throws if the file of the token has none. A file that does not exist may come later.
  private func checkToken() throws(SettingsError) {
    let server = settings.values.server
    guard let path = server.tokenFile, FileManager.default.fileExists(atPath: path) else { return }
    do throws(Status) { _ = try server.credentials?.token() } catch {
      throw settings.wrong("server.token_file", error.message)
    }
  }

  /// Reads a file of tunings. Throws if it has no tuning of a product that a port names.
  private static func tunings(
    _ named: EdgeConfiguration.NamedFile, for ports: [EdgeConfiguration.Port]
  ) throws(CommandError) -> TuningFile {
    func failure(_ problem: String) -> CommandError { CommandError("\(named.place): \(problem)") }
    let read: TuningFile?
    do throws(CommandError) { read = try TuningFile.read(named.path) } catch {
      throw failure(error.description)
    }
    guard let read else { throw failure("\(named.path): no such file") }
    for port in ports {
      guard let product = port.product, read.products[product] == nil else { continue }
      throw failure(
        "\(named.path): there is no product \"\(product)\", which port \(port.id) names")
    }
    return read
  }

  private static func security(
    _ files: EdgeConfiguration.SecurityFiles
  ) throws(CommandError) -> ChannelSecurity {
    func file(_ named: EdgeConfiguration.NamedFile?) -> CertificateFile? {
      named.map { CertificateFile($0.path, namedBy: $0.place) }
    }
    return try CertificateFiles.channelSecurity(
      authorities: file(files.authorities), certificate: file(files.certificate),
      key: file(files.key), serverName: files.serverName)
  }
}
