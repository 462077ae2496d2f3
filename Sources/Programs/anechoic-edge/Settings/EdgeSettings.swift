internal import CommandLineSupport
internal import Foundation
internal import GRPCTransport
internal import Settings
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

  /// Reads the files that the settings name, and looks at the FIFOs and files of programs. Reports
  /// those that the agent has to wait for on standard error.
  func configuration() throws(CommandError) -> EdgeConfiguration {
    var checked = settings
    do throws(SettingsError) { try checked.checkPrograms() } catch { throw Self.failure(error) }
    Self.report(checked.warnings.dropFirst(settings.warnings.count))
    var configuration = settings.values
    try Self.checkNoFolders(
      configuration.microphone.lamps + configuration.mute.lamps
        + [
          configuration.programs.desktopMemory, configuration.session.share,
          configuration.session.join,
        ].compactMap { $0 })
    if let named = configuration.audio.tuning {
      guard let tunings = try TuningFile.read(named.path) else {
        throw CommandError("\(named.place): \(named.path): no such file")
      }
      configuration.tunings = tunings
      for port in configuration.routes.ports {
        guard let product = port.product, tunings.products[product] == nil else { continue }
        throw CommandError(
          "\(named.path): there is no product \"\(product)\", which port \(port.id) names")
      }
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

  /// Throws if the path of a file is a folder. A file that does not exist may come later.
  private static func checkNoFolders(_ paths: [String]) throws(CommandError) {
    for path in paths {
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue
      else { continue }
      throw CommandError("\(path): this is a folder; name a file")
    }
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
