internal import Operations

/// The rules of a call between a client and an upstream that exchange messages. A pure state machine: it
/// does no I/O. For use on one thread.
protocol Relay: SendableMetatype {
  typealias Instant = ContinuousClock.Instant

  /// The messages to send, and the lines for the log.
  var outbox: RelayOutbox { get set }
  /// Whether there is room for a message of the client.
  var readsClient: Bool { get }
  /// Whether nothing of the client is on its way.
  var isDrained: Bool { get }

  mutating func acceptFromClient(_ message: WebSocketMessage, now: Instant)
  mutating func acceptFromUpstream(_ message: WebSocketMessage, now: Instant)
  /// Does what is due. Call this at least every 20 ms.
  mutating func advance(now: Instant)
  /// Records that the client sends no more. Messages that are on their way can be sent at once.
  mutating func clientEnded(now: Instant)
  /// Ends the session with the Anechoic server.
  mutating func close()
}

/// The output of a relay.
struct RelayOutbox {
  var toClient: [WebSocketMessage] = []
  var toUpstream: [WebSocketMessage] = []
  var log: [String] = []

  /// Returns the contents, and empties the outbox.
  mutating func take() -> RelayOutbox {
    defer { self = RelayOutbox() }
    return self
  }
}
