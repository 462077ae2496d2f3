internal import Authentication
internal import GRPCTransport
public import Logging
internal import Operations
internal import Synchronization

/// The log of a server: one line for the start and the end of each session, for each refusal, and
/// for each control action in the audit log. Lines never contain audio or metadata of calls.
///
/// The lines that one principal can cause are limited. In the audit log this holds for refusals, because
/// the limits on controls apply to the others.
public final class ServerLog: Sendable {
  /// The client that caused a line, and the call.
  struct Cause: Sendable {
    /// Empty if the client is not known.
    let principal: String
    let host: String
    /// The holder of the limit on lines: a client can invent a name, but not a host.
    let account: String
    let correlation: String
  }

  /// The maximum length of the name of a session that a client may have invented.
  private static let longestName = 100

  /// The outcomes of actions that were not carried out. Another one, such as CANCELLED, may be that of a
  /// client that did not wait for the end of its action.
  private static let refusals: Set<StatusCode> = [
    .notFound, .permissionDenied, .unauthenticated, .invalidArgument, .failedPrecondition,
    .resourceExhausted, .alreadyExists, .unimplemented,
  ]

  private let logger: Logger
  private let audit: Logger
  private let lines = Mutex(LogBudget())
  /// The limit on refusals in the audit log.
  private let refusals = Mutex(LogBudget())

  /// Creates a log. `audit` gets the control actions.
  public init(_ logger: Logger, audit: Logger) {
    self.logger = logger
    self.audit = audit
  }

  /// A log that keeps nothing.
  public static var silent: ServerLog {
    let nothing = Logger(label: "anechoic") { _ in SwiftLogNoOpLogHandler() }
    return ServerLog(nothing, audit: nothing)
  }

  /// Logs that a call was refused. `action` is the name of its method.
  func refused(_ action: String, _ status: Status, session: String = "", by cause: Cause) {
    log(
      .notice, "refused", cause,
      [
        "action": "\(action)", "session": "\(session)",
        "reason": "\(status.reason.isEmpty ? status.code.name : status.reason)",
        "problem": "\(status.message)",
      ])
  }

  func sessionStarted(_ session: String, _ fields: Logger.Metadata, by cause: Cause) {
    log(.info, "session started", cause, fields.adding(["session": "\(session)"]))
  }

  func sessionEnded(_ session: String, reason: String, _ fields: Logger.Metadata, by cause: Cause) {
    log(
      .info, "session ended", cause,
      fields.adding(["session": "\(session)", "reason": "\(reason)"]))
  }

  /// Logs that a thread has become too late for its sessions, or is on time again. The rule of overload
  /// has at least 10 s between two such lines of a thread.
  func threadLoadChanged(_ thread: ThreadReport.Reading, isOverloaded: Bool) {
    logger.log(
      level: isOverloaded ? .warning : .notice,
      isOverloaded ? "thread is late" : "thread is on time again",
      metadata: [
        "thread": "\(thread.thread)", "sessions": "\(thread.sessions)",
        "load": "\((thread.load * 100).rounded() / 100)",
        "late_ms": "\(thread.lateness.nanoseconds / 1_000_000)",
      ])
  }

  /// Writes down who tried to control a session, and with which outcome.
  func controlled(_ action: String, session: String, by cause: Cause, _ outcome: Status) {
    let name = session.hasPrefix("sessions/") ? session.dropFirst("sessions/".count) : session[...]
    let fields: Logger.Metadata = [
      "action": "\(action)", "session": "\(name.prefix(Self.longestName))",
      "outcome": "\(outcome.code.name)", "reason": "\(outcome.reason)",
    ]
    writeAudit(
      cause.fields.adding(fields), isRefusal: Self.refusals.contains(outcome.code),
      account: cause.account)
  }

  /// Writes down who tried to turn a switch of the server, and whether it was turned.
  public func switched(_ action: String, to value: String, isDone: Bool, by principal: String) {
    let fields: Logger.Metadata = [
      "action": "\(action)", "detail": "\(value)", "principal": "\(principal)",
      "outcome": "\((isDone ? StatusCode.ok : .permissionDenied).name)",
    ]
    writeAudit(fields, isRefusal: !isDone, account: principal)
  }

  private func writeAudit(_ fields: Logger.Metadata, isRefusal: Bool, account: String) {
    let fields = fields.withoutEmptyValues
    let limited = isRefusal ? Self.limit(fields, refusals, account) : fields
    if let limited { audit.notice("control", metadata: limited) }
  }

  /// Runs a control action, and writes down its outcome.
  func auditing<Result>(
    _ action: String, session: String, by cause: Cause, _ body: () async throws -> Result
  ) async throws -> Result {
    do {
      let result = try await body()
      controlled(action, session: session, by: cause, .ok)
      return result
    } catch {
      let outcome =
        error as? Status ?? Status(error is CancellationError ? .cancelled : .internal)
      controlled(action, session: session, by: cause, outcome)
      throw error
    }
  }

  private func log(
    _ level: Logger.Level, _ message: Logger.Message, _ cause: Cause, _ fields: Logger.Metadata
  ) {
    guard logger.logLevel <= level else { return }
    let fields = fields.adding(cause.fields).withoutEmptyValues
    guard let fields = Self.limit(fields, lines, cause.account) else { return }
    logger.log(level: level, message, metadata: fields)
  }

  /// Counts a line of an account. Returns its fields with the number of lines that were left out before
  /// it, or nil if the line is to be left out.
  private static func limit(
    _ fields: Logger.Metadata, _ budget: borrowing Mutex<LogBudget>, _ account: String
  ) -> Logger.Metadata? {
    let verdict = budget.withLock { $0.take(for: account, now: .now) }
    guard case .write(let suppressed) = verdict else { return nil }
    return suppressed > 0 ? fields.adding(["suppressed": "\(suppressed)"]) : fields
  }
}

extension ServerLog.Cause {
  fileprivate var fields: Logger.Metadata {
    [
      "principal": "\(principal)", "host": "\(principal == host ? "" : host)",
      "correlation": "\(correlation)",
    ]
  }

  init(_ client: Principal?, host: String, correlation: String) {
    self.init(
      principal: client?.name ?? "", host: client?.host ?? host,
      account: client?.account ?? host, correlation: correlation)
  }

  init(_ call: ServerCall) {
    self.init(
      call.attachment as? Principal, host: PeerAddress.host(of: call.peer),
      correlation: call.correlation)
  }

  init(_ context: CallContext) {
    self.init(
      context.attachment as? Principal, host: PeerAddress.host(of: context.peer),
      correlation: context.correlation)
  }
}

extension Logger.Metadata {
  /// Returns the metadata with the other values.
  fileprivate func adding(_ other: Logger.Metadata) -> Logger.Metadata { merging(other) { $1 } }

  /// The metadata without the fields of which there is nothing to say.
  fileprivate var withoutEmptyValues: Logger.Metadata { filter { !"\($0.value)".isEmpty } }
}
