public import CommandLineSupport
internal import Foundation
internal import GRPCTransport
internal import LinuxSystem
public import Settings

/// The places that the settings of a server come from. They can be read again while the server
/// runs.
public struct SettingsSources: Sendable {
  /// The file that is read if no other is given and it exists.
  public static let defaultFile = "/etc/anechoic/server.yaml"
  /// The environment variable that names the file.
  public static let fileVariable = "ANECHOIC_CONFIG"

  /// The file, or nil if there is none.
  public let file: String?
  private let overrides: SettingsOverrides

  /// Chooses the file: the given one, or that of the environment, or the default file if it exists.
  public init(
    file: String?, flags: [GivenFlag] = [], environment: [String: String]
  ) {
    let usual = FileManager.default.fileExists(atPath: Self.defaultFile) ? Self.defaultFile : nil
    let variable = environment[Self.fileVariable].flatMap { $0.isEmpty ? nil : $0 }
    self.file = file ?? variable ?? usual
    overrides = SettingsOverrides(flags, environment: environment)
  }

  /// Reads and checks the settings. Throws a `SettingsError` for a setting, and a `CommandError`
  /// for a file that cannot be read.
  public func read() throws -> LayeredValues<ServerSettings> {
    let text = try file.map { path throws(CommandError) in try SettingsFile.text(of: path) }
    let settings = try ServerSettings.table.read(text ?? "", file: file ?? "", overrides)
    try ServerSettings.check(settings)
    try ServerSettings.checkAuditFile(settings, settingsFile: file)
    return settings
  }
}

extension ServerSettings {
  /// Throws if settings contradict each other.
  static func check(_ settings: LayeredValues<ServerSettings>) throws(SettingsError) {
    let values = settings.values
    guard (values.tlsCertificate == nil) == (values.tlsKey == nil) else {
      throw settings.wrong(
        values.tlsKey == nil ? "tls.certificate" : "tls.key",
        "the certificate and the key must be set together")
    }
    guard values.tlsClientAuthorities == nil || values.tlsCertificate != nil else {
      throw settings.wrong("tls.client_ca", "needs a certificate and a key")
    }
    guard !values.tlsHTTP || values.tlsCertificate != nil else {
      throw settings.wrong("tls.http", "needs a certificate and a key")
    }
    try checkListeners(settings)
    try checkAuthentication(settings)
    try checkTracing(settings)
  }

  /// Throws if the lines of the audit log would go into a file that the server reads, or into its socket.
  static func checkAuditFile(
    _ settings: LayeredValues<ServerSettings>, settingsFile: String?
  ) throws(SettingsError) {
    let values = settings.values
    guard let audit = values.auditLog.map({ FileIdentity($0) }) else { return }
    let key = "log.audit_file"
    var others = table.settings.filter { $0.shape == .file && $0.path != key }.map {
      (name: $0.path, path: $0.value(in: values))
    }
    others.append(("the settings", settingsFile ?? ""))
    others += values.listen.compactMap { address in
      guard case .unix(let path) = ServerAddress(address) else { return nil }
      return ("listen.public", path)
    }
    for (name, path) in others where !path.isEmpty && FileIdentity(path) == audit {
      throw settings.wrong(key, "is the file of \(name)")
    }
  }
}
