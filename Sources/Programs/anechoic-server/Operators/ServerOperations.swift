internal import AnechoicAPI
internal import Authentication
internal import CommandLineSupport
internal import Foundation
internal import GRPCTransport
internal import LinuxSystem
internal import Logging
internal import Operations
internal import Settings
internal import Synchronization
internal import Tracing
internal import VoiceEngines
internal import VoiceServer

/// A part of the server that is read again while it runs.
enum ReloadedPart: String, CaseIterable {
  case settings, certificates, keys
  case auditLog = "audit_log"
}

/// The metrics, the log, the audit log and the HTTP listener of a server process.
final class ServerOperations: Sendable {
  let metrics: ServerMetrics
  let logger: Logger
  /// The log of the sessions and of the control actions.
  let log: ServerLog
  private let format: LogFormat
  /// The lowest level of the log.
  let threshold: LogThreshold
  /// Whether lines on standard error begin with the priority that the journal reads.
  private let forJournal = JournalStream.isStandardError
  private let errors: LineWriter
  private let auditFile: LineWriter?
  private let listener = Mutex<HTTPListener?>(nil)
  /// The TLS of the listener, or nil if it has none.
  private let security = Mutex<HTTPSecurity?>(nil)
  private let handshakes: HandshakeLog
  private let sockets = Mutex<WebSocketService?>(nil)
  private let spans = Mutex<SpanExporter?>(nil)
  /// The pages that the listener serves, with their names.
  private let served = Mutex<[PageSettings.Page]>([])
  /// The time for the last lines to leave at the end of the process.
  private static let farewell = Duration.seconds(1)
  /// The time for the last spans to reach their collector at the end of the process.
  private static let farewellOfSpans = Duration.seconds(3)

  /// Starts the log. Throws if the file of the audit log cannot be opened.
  init(format: LogFormat, level: Logger.Level, auditLog: String?) throws(CommandError) {
    let registry = MetricsRegistry()
    metrics = ServerMetrics(registry)
    ProcessMetrics.add(to: registry)
    for part in ReloadedPart.allCases {
      // Prometheus sees an increase only in a series that was there before.
      for outcome in ["applied", "failed"] {
        _ = registry.counter(.reloads, part.rawValue, outcome)
      }
    }
    self.format = format
    let threshold = LogThreshold(level)
    self.threshold = threshold
    let errors = LineWriter(
      descriptor: STDERR_FILENO,
      counts: .init(
        written: registry.counter(.logLines), lost: registry.counter(.logLinesLost)),
      lossLine: Self.lossLine(format, isAudit: false, forJournal: forJournal))
    self.errors = errors
    logger = Logger(label: "anechoic-server") { [forJournal] _ in
      LineLogHandler(errors, format: format, threshold: threshold, forJournal: forJournal)
    }
    handshakes = HandshakeLog(logger, registry)
    auditFile = try auditLog.map { path throws(CommandError) in
      let writer = LineWriter(path: path, lossLine: Self.lossLine(format, isAudit: true))
      guard let writer else { throw CommandError(systemErrorAt: path) }
      return writer
    }
    let auditWriter = auditFile ?? errors
    let auditForJournal = auditFile == nil && forJournal
    let auditLosses = registry.counter(.auditLinesLost)
    let audit = Logger(label: "anechoic-server.audit") { _ in
      LineLogHandler(
        auditWriter, format: format, threshold: LogThreshold(.trace), isAudit: true,
        forJournal: auditForJournal, losses: auditLosses)
    }
    log = ServerLog(logger, audit: audit)
  }

  /// Returns the line that tells how many lines were lost.
  private static func lossLine(
    _ format: LogFormat, isAudit: Bool, forJournal: Bool = false
  ) -> @Sendable (UInt64) -> String {
    { count in
      LogLine(
        level: .warning, message: "\(count) lines were lost before this one", isAudit: isAudit
      ).text(format, forJournal: forJournal)
    }
  }

  /// Opens the file of the audit log again, for programs that rename it. Returns the problem, or nil.
  func reopenAuditLog() -> String? {
    guard let auditFile else { return nil }
    guard auditFile.reopen() else {
      let reason = CommandError(systemErrorAt: auditFile.path ?? "")
      count(.auditLog, hasFailed: true)
      let problem = "audit log not reopened, the old file stays in use: \(reason)"
      logger.error("\(problem)")
      return problem
    }
    count(.auditLog, hasFailed: false)
    logger.notice("audit log reopened")
    return nil
  }

  /// Counts that a part was read again, or could not be.
  func count(_ part: ReloadedPart, hasFailed: Bool) {
    metrics.registry.counter(.reloads, part.rawValue, hasFailed ? "failed" : "applied").add()
  }

  /// Shows the times of certificates as a metric.
  func show(_ certificates: [UsedCertificate]) {
    for certificate in certificates {
      metrics.registry.gauge(.certificateExpiry, certificate.label)
        .set(Double(certificate.validity.last))
    }
  }

  /// Counts TLS handshakes of gRPC that fail from now on, and tells them in the log.
  func observeHandshakes() {
    HandshakeFailure.observe { [handshakes] in handshakes.record($0) }
  }

  /// Uses the certificate of `new` for the connections of the HTTP listener that begin from now on, if the
  /// listener has TLS.
  func use(_ new: ServerSecurity) throws(CommandError) {
    guard let security = security.withLock({ $0 }), let identity = new.identity else { return }
    security.identity = try Self.httpIdentity(identity)
  }

  private static func httpIdentity(
    _ identity: CertificateIdentity
  ) throws(CommandError) -> TLSIdentity {
    do { return try TLSIdentity(identity) } catch {
      throw CommandError("tls.certificate: \(error)")
    }
  }

  /// Returns the tracer of the server, or nil without a collector.
  func tracer(_ settings: TracingSettings) throws(CommandError) -> (any Tracer)? {
    guard let endpoint = settings.endpoint else { return nil }
    let process = ProcessInfo.processInfo
    let exporter = SpanExporter(
      OTLPCollector(
        address: endpoint, authorities: settings.authorities,
        headers: try settings.headersFile.map(HeaderFile.lines) ?? []),
      service: SpanDocument.Service(
        name: settings.serviceName, version: anechoicVersion,
        instance: "\(process.hostName)/\(process.processIdentifier)"),
      counts: SpanExporter.Counts(metrics.registry)
    ) { [logger] report in
      switch report {
      case .failing(let problem):
        logger.warning("the collector \(endpoint) takes no spans: \(problem)")
      case .working: logger.notice("the collector \(endpoint) takes spans again")
      }
    }
    spans.withLock { $0 = exporter }
    return ExportingTracer(TraceSampling(ratio: settings.sampleRatio), exporter)
  }

  /// Tells that certificates expire, as an error if a client refuses them.
  func tellExpiry(_ state: CertificateExpiry.State, of certificate: UsedCertificate) {
    guard let words = state.words(certificate.validity) else { return }
    let level = state.isRefused ? Logger.Level.error : .warning
    logger.log(level: level, "\(certificate.setting): \(words)")
  }

  /// Tells whether the keys that verify tokens could be read again.
  func tellKeys(_ outcome: TokenKeySource.Outcome, of keys: TokenKeySource) {
    switch outcome {
    case .success(let number):
      count(.keys, hasFailed: false)
      logger.notice("\(keys.place): \(number) key\(number == 1 ? " is" : "s are") in use")
      if let warning = keys.warning { logger.warning("\(warning)") }
    case .failure(let error):
      count(.keys, hasFailed: true)
      let consequence =
        keys.isReady
        ? "the old keys remain in use" : "no client can use the server until it has keys"
      logger.error("\(keys.place): \(error); \(consequence)")
    }
  }

  /// Shows the time of the last fetch of keys as a metric.
  func show(_ keys: TokenKeySource) {
    guard case .address(let address) = keys else { return }
    metrics.registry.reading(.keysFetched) { address.fetchedAt?.timeIntervalSince1970 ?? 0 }
  }

  /// Starts the HTTP listener on `address`. An address that is not `required` may be taken: then the
  /// server runs without metrics. With an `identity`, the address speaks HTTPS. With `needsScope`, only
  /// clients with the scope `admin` turn switches.
  func listen(
    on address: String, required: Bool, identity: CertificateIdentity?,
    for server: VoiceProcessingServer, _ engines: EngineCatalog,
    injection: AdministrationService.Switch?, needsScope: Bool, pages: PageSettings,
    messageBytes: Int
  ) throws(CommandError) {
    let build = BuildInformation(engines)
    build.add(to: metrics.registry)
    let isLoopback = Self.isLoopback(address)
    let serve = try self.pages(
      pages, of: server, isLoopback: isLoopback, isEncrypted: identity != nil,
      messageBytes: messageBytes)
    let gate: AdministrationService.Gate = { server.operatorGate.answer($0, $1, $2) }
    let service = AdministrationService(
      registry: metrics.registry, version: build.json, threshold: threshold,
      injection: injection, isLoopback: isLoopback && identity == nil,
      gate: needsScope ? gate : nil, readiness: { server.readiness }, pages: serve
    ) { [log] action, value, isDone, principal in
      log.switched(action, to: value, isDone: isDone, by: principal ?? "operator over HTTP")
    }
    let security = try identity.map { identity throws(CommandError) in
      HTTPSecurity(try Self.httpIdentity(identity)) { [handshakes] in
        handshakes.record(HandshakeFailure(http: $0))
      }
    }
    self.security.withLock { $0 = security }
    do {
      let started = try HTTPListener(
        address, security: security, answered: { service.count($0) }
      ) { service.answer($0) }
      listener.withLock { $0 = started }
      served.withLock { $0 = pages.served }
    } catch {
      guard !required else { throw CommandError(error.description) }
      logger.warning("no metrics: \(error); use --http-listen")
    }
  }

  /// Returns the answers of the pages and of WebSockets.
  private func pages(
    _ settings: PageSettings, of server: VoiceProcessingServer, isLoopback: Bool, isEncrypted: Bool,
    messageBytes: Int
  ) throws(CommandError) -> AdministrationService.Pages {
    let (live, socket, trying) = (settings.live, settings.webSocket, settings.trying)
    let started: WebSocketService
    do {
      started = try WebSocketService(messageBytes: messageBytes)
    } catch {
      throw CommandError(error.description)
    }
    sockets.withLock { $0 = started }
    let page = LivePage(
      server.sessions, live.rule(isLoopback: isLoopback, isEncrypted: isEncrypted), live.refusal)
    let tryPage = TryPage(trying.refusal)
    let door = ProcessDoor(
      server, started,
      OriginRule(
        settings.origins, or: socket.rule(isLoopback: isLoopback, isEncrypted: isEncrypted)),
      socket.refusal)
    return { page.answer($0) ?? tryPage.answer($0) ?? door.answer($0) }
  }

  private static func isLoopback(_ address: String) -> Bool {
    address.hasPrefix("127.") || address.hasPrefix("[::1]") || address.hasPrefix("localhost:")
  }

  /// Tells that the server listens, in a form that scripts read, and with which settings: those that are
  /// not the defaults, and at the level debug all of them.
  func tellStart(_ server: VoiceProcessingServer, settings: ServerSettings) {
    for address in server.addresses { tell("listening on \(address)", isFirst: true) }
    if let listener = listener.withLock({ $0 }) {
      let scheme = security.withLock { $0 } == nil ? "http" : "https"
      tell("metrics on \(scheme)://\(listener.address)/metrics", isFirst: true)
      for page in served.withLock({ $0 }) {
        tell("\(page.name) on \(scheme)://\(listener.address)\(page.path)", isFirst: true)
      }
    }
    let table = ServerSettings.table
    let (all, defaults) = (table.texts(of: settings), table.texts(of: table.defaults))
    var metadata = all.filter { $0.value != defaults[$0.key] }
      .mapValues { Logger.MetadataValue.string($0) }
    metadata["version"] = "\(anechoicVersion)"
    metadata["commit"] = "\(Build.commit)"
    logger.notice("started", metadata: metadata)
    logger.debug("settings", metadata: all.mapValues { .string($0) })
  }

  /// Describes the state of the server, for people.
  func tell(_ text: String) { tell(text, isFirst: false) }

  /// Ends the HTTP listener, and writes the last lines.
  func close() {
    listener.withLock { $0 }?.stop()
    sockets.withLock { $0 }?.stop()
    spans.withLock { $0 }?.stop(atMost: Self.farewellOfSpans)
    errors.flush(atMost: Self.farewell)
    auditFile?.flush(atMost: Self.farewell)
  }

  /// Writes a line for people and scripts: as it is, or as a line of JSON.
  private func tell(_ text: String, isFirst: Bool) {
    guard format == .text else { return logger.notice("\(text)") }
    let priority = forJournal ? Logger.Level.notice.journalPriority : ""
    errors.write("\(priority)anechoic-server\(isFirst ? " \(anechoicVersion)" : ""): \(text)\n")
  }
}
