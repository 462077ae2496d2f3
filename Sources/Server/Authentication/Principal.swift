/// The identity of a call's client, and what the client may do.
public struct Principal: Hashable, Sendable {
  /// The client's name. It follows `ClientNameRule`, because other clients show the name in
  /// terminals and logs. A client without a name has its host as its name.
  public let name: String
  /// The address that the client calls from, without a port: `ipv4:127.0.0.1`, `unix:`.
  public let host: String
  public let scopes: Set<Scope>
  /// Whether the client has proved its name, with a token or a certificate. Otherwise the name is
  /// the one that the client gives itself: a client can invent a name, but not a host.
  public let isVerified: Bool

  public init(name: String, host: String, scopes: Set<Scope>, isVerified: Bool) {
    self.name = name
    self.host = host
    self.scopes = scopes
    self.isVerified = isVerified
  }

  /// Returns a client that nobody has verified. It has every scope.
  public static func unverified(name: String, host: String) -> Principal {
    Principal(name: name, host: host, scopes: Set(Scope.allCases), isVerified: false)
  }

  /// The holder of limits such as the number of sessions: the name if it is verified, and otherwise
  /// the host, because a client can invent names.
  public var account: String { isVerified ? "principal:\(name)" : host }

  /// Returns whether the client may do what `scope` allows. The scope `admin` includes all others.
  public func has(_ scope: Scope) -> Bool { scopes.contains(scope) || scopes.contains(.admin) }
}

/// A group of actions that a client may perform.
public enum Scope: String, Sendable, CaseIterable {
  /// Runs sessions, and asks for the capabilities of the server.
  case media
  /// Lists, gets and watches the client's own sessions.
  case read
  /// Changes, mutes, records and ends the client's own sessions.
  case control
  /// Asks for permission to inject speech, and injects speech, into any session whose name the
  /// client knows.
  case inject
  /// Lets sessions learn a voice, and keep one by its voiceprint.
  case enroll
  /// Does everything, with the sessions of all clients.
  case admin
}
