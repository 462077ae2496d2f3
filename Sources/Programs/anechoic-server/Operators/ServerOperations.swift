internal import AnechoicAPI
internal import Authentication
internal import CommandLineSupport
internal import Foundation
internal import LinuxSystem
internal import Logging
internal import Operations
internal import Synchronization
internal import VoiceEngines
internal import VoiceServer

/// The metrics, the log, the audit log and the HTTP listener of a server process.
final class ServerOperations: Sendable {
  let metrics: ServerMetrics
  let logger: Logger
  /// The log of the sessions and of the control actions.
  let log: ServerLog
  private let format: LogFormat
  /// The lowest level of the log.
  let threshold: LogThreshold
  private let audit: Logger
  private let errors: LineWriter
  private let auditFile: LineWriter?
  private let listener = Mutex<HTTPListener?>(nil)
  private let sockets = Mutex<WebSocketService?>(nil)
  /// The pages that the listener serves, with their names.
  private let served = Mutex<[PageSettings.Page]>([])
  /// The time for the last lines to leave at the end of the process.
  private static let farewell = Duration.seconds(1)

  /// Starts the log. Throws if the file of the audit log cannot be opened.
  init(format: LogFormat, level: Logger.Level, auditLog: String?) throws(CommandFailure) {
    let registry = MetricsRegistry()
    metrics = ServerMetrics(registry)
    ProcessMetrics.add(to: registry)
    self.format = format
    let threshold = LogThreshold(level)
    self.threshold = threshold
    let errors = LineWriter(
      descriptor: STDERR_FILENO,
      counts: .init(
        written: registry.counter(.logLines), lost: registry.counter(.logLinesLost)),
      lossLine: Self.lossLine(format, isAudit: false))
    self.errors = errors
    logger = Logger(label: "anechoic-server") { _ in
      LineLogHandler(errors, format: format, threshold: threshold)
    }
    let auditCounts = LineWriter.Counts(lost: registry.counter(.auditLinesLost))
    auditFile = try auditLog.map { path throws(CommandFailure) in
      let writer = LineWriter(
        path: path, counts: auditCounts, lossLine: Self.lossLine(format, isAudit: true))
      guard let writer else { throw CommandFailure(systemErrorAt: path) }
      return writer
    }
    let auditWriter = auditFile ?? errors
    audit = Logger(label: "anechoic-server.audit") { _ in
      LineLogHandler(auditWriter, format: format, threshold: LogThreshold(.trace), isAudit: true)
    }
    log = ServerLog(logger, audit: audit)
  }

  /// Returns the line that tells how many lines were lost.
  private static func lossLine(
    _ format: LogFormat, isAudit: Bool
  ) -> @Sendable (UInt64) -> String {
    { count in
      LogLine(
        level: .warning, message: "\(count) lines were lost before this one", isAudit: isAudit
      ).text(format)
    }
  }

  /// Opens the file of the audit log again, for programs that rename it.
  func reopenAuditLog() {
    guard let auditFile else { return }
    guard auditFile.reopen() else {
      let reason = CommandFailure(systemErrorAt: auditFile.path ?? "")
      return logger.error("audit log not reopened, the old file stays in use: \(reason)")
    }
    logger.notice("audit log reopened")
  }

  /// Tells whether a file of keys could be read again.
  func tellKeys(_ outcome: TokenKeyFile.Outcome, of path: String) {
    switch outcome {
    case .success(let count):
      logger.notice("\(path): \(count) key\(count == 1 ? " is" : "s are") in use")
    case .failure(let error): logger.error("\(path): \(error); the old keys remain in use")
    }
  }

  /// Starts the HTTP listener on `address`. An address that is not `required` may be taken: then the
  /// server runs without metrics.
  func listen(
    on address: String, required: Bool, for server: VoiceProcessingServer, _ engines: EngineCatalog,
    injection: AdministrationService.Switch?, pages: PageSettings, messageBytes: Int
  ) throws(CommandFailure) {
    let audit = audit
    let build = BuildInformation(engines)
    build.add(to: metrics.registry)
    let isLoopback = Self.isLoopback(address)
    let serve = try self.pages(
      pages, of: server, isLoopback: isLoopback, messageBytes: messageBytes)
    let service = AdministrationService(
      registry: metrics.registry, version: build.json, threshold: threshold,
      injection: injection, isLoopback: isLoopback, isReady: { server.isReady },
      pages: serve
    ) { action, value, isDone in
      audit.notice(
        "control",
        metadata: [
          "action": "\(action)", "detail": "\(value)", "outcome": isDone ? "OK" : "FORBIDDEN",
          "principal": "operator over HTTP",
        ])
    }
    do {
      let started = try HTTPListener(address) { service.answer($0) }
      listener.withLock { $0 = started }
      served.withLock { $0 = pages.served }
    } catch {
      guard !required else { throw CommandFailure(error.description) }
      logger.warning("no metrics: \(error); use --http-listen")
    }
  }

  /// Returns the answers of the pages and of WebSockets.
  private func pages(
    _ settings: PageSettings, of server: VoiceProcessingServer, isLoopback: Bool, messageBytes: Int
  ) throws(CommandFailure) -> AdministrationService.Pages {
    let (live, socket, trying) = (settings.live, settings.webSocket, settings.trying)
    let started: WebSocketService
    do {
      started = try WebSocketService(messageBytes: messageBytes)
    } catch {
      throw CommandFailure(error.description)
    }
    sockets.withLock { $0 = started }
    let page = LivePage(server.sessions, live.rule(isLoopback: isLoopback), live.refusal)
    let tryPage = TryPage(trying.refusal)
    let door = ProcessDoor(
      server, started,
      OriginRule(settings.origins, or: socket.rule(isLoopback: isLoopback)), socket.refusal)
    return { page.answer($0) ?? tryPage.answer($0) ?? door.answer($0) }
  }

  private static func isLoopback(_ address: String) -> Bool {
    address.hasPrefix("127.") || address.hasPrefix("[::1]") || address.hasPrefix("localhost:")
  }

  /// Tells that the server listens, in a form that scripts read, and with which settings.
  func tellStart(_ server: VoiceProcessingServer, settings: [String: String]) {
    for address in server.addresses { tell("listening on \(address)", isFirst: true) }
    if let listener = listener.withLock({ $0 }) {
      tell("metrics on http://\(listener.address)/metrics", isFirst: true)
      for page in served.withLock({ $0 }) {
        tell("\(page.name) on http://\(listener.address)\(page.path)", isFirst: true)
      }
    }
    var metadata = settings.mapValues { Logger.MetadataValue.string($0) }
    metadata["version"] = "\(anechoicVersion)"
    logger.notice("started", metadata: metadata)
  }

  /// Describes the state of the server, for people.
  func tell(_ text: String) { tell(text, isFirst: false) }

  /// Ends the HTTP listener, and writes the last lines.
  func close() {
    listener.withLock { $0 }?.stop()
    sockets.withLock { $0 }?.stop()
    errors.flush(atMost: Self.farewell)
    auditFile?.flush(atMost: Self.farewell)
  }

  /// Writes a line for people and scripts: as it is, or as a line of JSON.
  private func tell(_ text: String, isFirst: Bool) {
    guard format == .text else { return logger.notice("\(text)") }
    errors.write("anechoic-server\(isFirst ? " \(anechoicVersion)" : ""): \(text)\n")
  }
}
