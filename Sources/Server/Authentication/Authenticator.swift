/// Finds out who a call's client is.
public protocol Authenticator: Sendable {
  /// Decides about a call, without blocking its thread.
  func authentication(of call: any Caller) -> Authentication
}

/// The finding of an authenticator.
public enum Authentication: Sendable {
  case known(Identified)
  case refused(AuthenticationFailure)
  /// The finding takes longer, and is made on a thread of `BackgroundExecutor`.
  case pending(@Sendable () async -> Result<Identified, AuthenticationFailure>)
}

/// A client that an authenticator has identified.
public struct Identified: Sendable {
  public let principal: Principal
  /// The time from now at which the client's proof expires. Nil if the proof does not expire, or if
  /// running calls continue after the proof has expired.
  public let lifetime: Duration?

  public init(_ principal: Principal, lifetime: Duration? = nil) {
    self.principal = principal
    self.lifetime = lifetime
  }
}
