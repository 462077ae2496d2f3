/// Whether a server takes new sessions.
public enum Readiness: Sendable {
  case ready
  /// The server cannot identify clients yet, because it has no keys that verify their tokens.
  case starting
  /// The server has no room, or is late. Its sessions go on, and lost ones may resume.
  case full
  /// The server drains, or has ended.
  case stopping

  /// The status for checks that know only ready and not ready.
  var status: HTTPStatus { self == .ready ? .ok : .serviceUnavailable }

  /// The status for proxies that tell servers without room, which keep their sessions, from servers
  /// that have to be left: 404 is what HAProxy takes for the first (`http-check disable-on-404`).
  var routingStatus: HTTPStatus {
    switch self {
    case .ready: .ok
    case .full: .notFound
    case .starting, .stopping: .serviceUnavailable
    }
  }

  /// The state in a word, and the reason for a state that is not meant to last.
  var words: String {
    switch self {
    case .ready: "ok"
    case .starting: "starting: the keys that verify tokens have not been fetched yet"
    case .full: "full"
    case .stopping: "stopping"
    }
  }
}
