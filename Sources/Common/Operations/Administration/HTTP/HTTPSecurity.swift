public import LinuxSystem
internal import Synchronization

/// The reason why a TLS handshake with a listener failed.
public enum HTTPHandshakeFailure: Sendable, Equatable {
  /// The client has closed the connection without a reason.
  case closed
  /// The handshake took too long, or other connections needed its place.
  case timeout
  /// The reason in the words of OpenSSL.
  case refused(String)

  /// The failure in words.
  public var problem: String {
    switch self {
    case .closed: "the client closed the connection"
    case .timeout: "the handshake timed out"
    case .refused(let words): words
    }
  }
}

/// The protection of an `HTTPListener` with TLS.
public final class HTTPSecurity: Sendable {
  private let current: Mutex<TLSIdentity>
  /// Records a failure.
  package let report: @Sendable (HTTPHandshakeFailure) -> Void

  /// `report` gets the reason whenever a handshake fails. It runs on the listener's thread and must not
  /// wait.
  public init(
    _ identity: TLSIdentity, report: @escaping @Sendable (HTTPHandshakeFailure) -> Void
  ) {
    current = Mutex(identity)
    self.report = report
  }

  /// The identity of the connections that begin from now on. Running ones keep theirs.
  public var identity: TLSIdentity {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }
}
