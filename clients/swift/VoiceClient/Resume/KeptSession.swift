package import AnechoicAPI
package import GRPCTransport

/// The state that a new session takes over from the session in whose place it starts.
package struct KeptSession: Sendable {
  /// The id, or nil if it is in use.
  package private(set) var id: String?
  /// The configuration with the changes of all clients. Nil for the client's own configuration.
  package private(set) var configuration: Anechoic_V1_SessionConfig?
  /// The time since which the session has had its last connection.
  package let began: ContinuousClock.Instant

  init(
    id: String, configuration: Anechoic_V1_SessionConfig, began: ContinuousClock.Instant
  ) {
    (self.id, self.configuration, self.began) = (id, configuration, began)
  }

  /// Changes the start of the new session.
  package func apply(to start: inout Anechoic_V1_Start) {
    if let id { start.sessionID = id }
    if let configuration { start.config = configuration }
  }

  /// Records that a server has refused or ended a session with a status.
  package mutating func refused(_ code: StatusCode?) {
    if code == .alreadyExists { id = nil }
    // The reason may be a configuration that another client has set.
    if code == .invalidArgument { configuration = nil }
  }
}
