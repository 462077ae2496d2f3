/// A connection with a client, on the thread of a `WebSocketService`. May be used from any thread.
///
/// One message is read at a time, when `read` asks for it: a client that sends more is held back by
/// TCP. One message is sent at a time: the next one may follow the report `sent`.
public struct WebSocket: Sendable {
  /// A report about the connection. `closedByClient` comes instead of a message. `closed` and `lost`
  /// come once, last.
  public enum Report: Sendable {
    /// The message that `read` asked for.
    case message(WebSocketMessage)
    /// The client has closed. It still gets the end, and what is sent before is dropped.
    case closedByClient
    /// The message has been passed to the system.
    case sent
    /// The end of `close` has been passed to the system.
    case closed
    /// The connection was lost, its client gave it up with a code of applications, or broke a rule.
    case lost
  }

  /// A change that another thread asks for.
  package enum Command {
    case read
    case send(WebSocketMessage)
    case close(WebSocketClosing)
    case abort(WebSocketClosing)
  }

  let id: UInt64
  let commands: WebSocketCommands

  /// Asks for the next message.
  public func read() { commands.add(.read, for: id) }

  public func send(_ message: WebSocketMessage) { commands.add(.send(message), for: id) }

  /// Closes the connection after the messages that were sent.
  public func close(_ closing: WebSocketClosing) { commands.add(.close(closing), for: id) }

  /// Closes the connection now, for a client that does not read.
  public func abort(_ closing: WebSocketClosing) { commands.add(.abort(closing), for: id) }
}
