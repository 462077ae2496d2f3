internal import GRPCTransport
internal import Synchronization
internal import VoiceClient

/// A connection to a server.
protocol EdgeLink: Sendable {
  var state: LinkState { get }

  /// Runs until the task is cancelled. Throws an `EdgeError` if the first connection fails with an
  /// error that a retry cannot correct.
  func run() async throws
}

/// The state of the connection to the server, whose changes are logged.
final class LinkState: Sendable {
  enum Value: Sendable, Equatable {
    case connected(session: String)
    case away(String)
    /// There is no call.
    case resting
  }

  private let address: String
  private let log: @Sendable (String) -> Void
  private let value = Mutex(Value.away("not connected yet"))

  init(_ address: String, log: @escaping @Sendable (String) -> Void) {
    self.address = address
    self.log = log
  }

  var current: Value { value.withLock { $0 } }

  /// Logs a new state. Being away is logged once, and again if the kind of the reason changes.
  func say(_ new: Value) {
    let isNews = value.withLock { value in
      defer { value = new }
      if case .away(let old) = value, case .away(let reason) = new {
        return old.prefix(20) != reason.prefix(20)
      }
      return value != new
    }
    // Cancellation is not logged.
    guard isNews, !Task.isCancelled else { return }
    switch new {
    case .connected(let session): log("server \(address): \(session) runs")
    case .away(let reason): log("server \(address): \(reason); trying again")
    case .resting: log("server \(address): no session, because there is no call")
    }
  }
}

extension EdgeConfiguration.Server {
  /// Returns a client with a new connection, because the old one may have failed silently.
  func newClient(named client: String) -> VoiceProcessingClient {
    VoiceProcessingClient(
      server: address, clientName: client, security: security, credentials: credentials
    ).reconnected()
  }

  /// Throws an `EdgeError` for an error of the first connection that a retry cannot correct.
  func checkFirst(_ status: Status) throws(EdgeError) {
    // A token that is missing or refused may be renewed in its file.
    let mayBeRenewed = status.code == .unauthenticated && credentials != nil
    // The next start leaves a refused part out.
    guard status.isHopeless, !mayBeRenewed, status.refusedPart == nil else { return }
    throw EdgeError("server \(address): \(status.oneLine)")
  }
}
