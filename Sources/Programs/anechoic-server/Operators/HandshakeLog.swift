internal import GRPCTransport
internal import Logging
internal import Operations
internal import Synchronization

/// The account of the TLS handshakes that failed: metrics, and lines in the log within a limit.
///
/// Connections that clients close without a reason are only counted: load balancers and port scans do
/// that.
final class HandshakeLog: Sendable {
  private let logger: Logger
  private let closed: AtomicCounter
  private let failed: [HandshakeFailure.Reason: AtomicCounter]
  private let budget = Mutex(LogBudget())

  init(_ logger: Logger, _ registry: MetricsRegistry) {
    self.logger = logger
    closed = registry.counter(.handshakesClosed)
    failed = Dictionary(
      uniqueKeysWithValues: HandshakeFailure.Reason.allCases.filter { $0 != .closed }.map {
        ($0, registry.counter(.handshakesFailed, $0.rawValue))
      })
  }

  func record(_ failure: HandshakeFailure) {
    guard failure.reason != .closed else { return closed.add() }
    failed[failure.reason]?.add()
    let verdict = budget.withLock { $0.take(for: failure.reason.rawValue, now: .now) }
    guard case .write(let suppressed) = verdict else { return }
    var fields: Logger.Metadata = [
      "reason": "\(failure.reason.rawValue)", "problem": "\(failure.problem)",
    ]
    if suppressed > 0 { fields["suppressed"] = "\(suppressed)" }
    logger.notice("TLS handshake failed", metadata: fields)
  }
}

extension HandshakeFailure {
  /// Creates a failure of the HTTP listener.
  init(http failure: HTTPHandshakeFailure) {
    switch failure {
    case .closed: self.init(reason: .closed, problem: failure.problem)
    case .timeout: self.init(reason: .timeout, problem: failure.problem)
    case .refused(let words): self.init(openSSL: words)
    }
  }
}
