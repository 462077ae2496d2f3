internal import Authentication
internal import CommandLineSupport
internal import Foundation
internal import LinuxSystem
internal import Logging
internal import Operations
internal import Settings
internal import VoiceServer

/// A server and its settings, which are read again on SIGHUP.
actor RunningServer {
  private let server: VoiceProcessingServer
  private let sources: SettingsSources
  private var settings: ServerSettings
  private var configuration: ServerConfiguration
  private let keys: TokenKeySource?
  private let operations: ServerOperations
  private let service: SystemdService
  private var isStopping = false

  init(
    _ server: VoiceProcessingServer, _ settings: ServerSettings,
    _ configuration: ServerConfiguration,
    keys: TokenKeySource?, _ operations: ServerOperations, _ service: SystemdService,
    from sources: SettingsSources
  ) {
    self.server = server
    self.settings = settings
    self.configuration = configuration
    self.keys = keys
    self.operations = operations
    self.service = service
    self.sources = sources
    operations.show(UsedCertificate.all(of: configuration.security))
    if let keys { operations.show(keys) }
  }

  /// Tells systemd that the server stops, and no reload from now on. Returns the time for running
  /// sessions to end.
  func beginStop() -> Duration {
    isStopping = true
    service.tellStopping(drainTime: settings.drainTime)
    return settings.drainTime
  }

  /// Reads the settings again, and applies those that a running server can change. With a mistake in
  /// the new settings, all stay as they are. Opens the file of the audit log again.
  func reload() async {
    if !isStopping { service.tellReloading() }
    let auditProblem = operations.reopenAuditLog()
    if let keys { operations.tellKeys(await keys.reload(), of: keys) }
    do {
      var effective = settings
      let changes = ServerSettings.table.reload(
        &effective, from: try sources.read().values.keepingTLSMode(of: settings) { log($0) })
      try apply(effective)
      for change in changes {
        log(
          "\(change.path) changed from \(change.old) to \(change.new): "
            + (change.isApplied ? "applied" : "needs a restart"))
      }
      log(
        "settings reloaded: \(changes.isEmpty ? "no setting changed" : "\(changes.count) changed")")
      operations.count(.settings, hasFailed: false)
      tellReloaded(problem: auditProblem)
    } catch {
      operations.count(.settings, hasFailed: true)
      tellReloaded(problem: "settings not reloaded: \(error)")
      operations.logger.error("settings not reloaded, all stay as they are: \(error)")
    }
  }

  private func tellReloaded(problem: String?) {
    if !isStopping { service.tellReloaded(problem: problem) }
  }

  /// Reads the certificate files again. If they cannot be used, the old ones stay in use.
  func reloadCertificates() {
    do {
      try apply(settings)
      operations.count(.certificates, hasFailed: false)
      log("certificates reloaded; running connections keep theirs")
    } catch {
      operations.count(.certificates, hasFailed: true)
      operations.logger.error("certificates not reloaded, the old ones stay in use: \(error)")
    }
  }

  /// Reads the certificate files again whenever they change. Returns when the task is cancelled.
  func watchCertificates(every interval: Duration) async {
    var used = settings.certificateFiles
    var last = used
    var expiries: [String: CertificateExpiry] = [:]
    repeat {
      tellExpiry(&expiries)
      let now = settings.certificateFiles
      // Files that are still being written are left alone until they rest.
      if now == last, now != used {
        used = now
        reloadCertificates()
      }
      last = now
    } while (try? await Task.sleep(for: interval)) != nil
  }

  /// Tells once a day that a certificate expires soon, or has expired.
  private func tellExpiry(_ expiries: inout [String: CertificateExpiry]) {
    let time = Duration.now.components.seconds
    for certificate in UsedCertificate.all(of: configuration.security) {
      let state = CertificateExpiry.state(of: certificate.validity, at: time)
      if expiries[certificate.setting, default: CertificateExpiry()].isDue(state, at: time) {
        operations.tellExpiry(state, of: certificate)
      }
    }
  }

  /// Reads the file of keys again whenever it changes, or fetches the keys by their age. Returns when
  /// the task is cancelled.
  func watchKeys(every interval: Duration) async {
    guard let keys else { return }
    await keys.watch(filesEvery: interval) { [operations] in operations.tellKeys($0, of: keys) }
  }

  private func log(_ message: String) { operations.logger.notice("\(message)") }

  private func apply(_ new: ServerSettings) throws {
    var changed = configuration
    try new.apply(to: &changed)
    try operations.use(changed.security)
    configuration = changed
    server.apply(configuration)
    operations.show(UsedCertificate.all(of: configuration.security))
    // Operators may have changed the switch and the level too, so only a new setting counts.
    if new.injection != settings.injection { configuration.injection.set(new.injection) }
    if new.logLevel != settings.logLevel { operations.threshold.level = new.logLevel }
    settings = new
  }
}

extension ServerSettings {
  /// The versions of the certificate files, or nil for files that do not exist.
  fileprivate var certificateFiles: [RegularFile.Version?] {
    [tlsCertificate, tlsKey, tlsClientAuthorities].map { path in
      path.flatMap { RegularFile.Version(of: $0) }
    }
  }

  /// Returns the settings with the old TLS files if TLS, or the demand for client certificates,
  /// would be switched on or off, because that needs a restart.
  fileprivate func keepingTLSMode(
    of old: ServerSettings, _ log: (String) -> Void
  ) -> ServerSettings {
    guard
      (tlsCertificate == nil) != (old.tlsCertificate == nil)
        || (tlsClientAuthorities == nil) != (old.tlsClientAuthorities == nil)
    else { return self }
    log("switching TLS or client certificates on or off needs a restart")
    var kept = self
    kept.tlsCertificate = old.tlsCertificate
    kept.tlsKey = old.tlsKey
    kept.tlsClientAuthorities = old.tlsClientAuthorities
    return kept
  }
}
