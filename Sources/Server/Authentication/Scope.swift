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
  /// Does everything, with the sessions of all clients.
  case admin
}
