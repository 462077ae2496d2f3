internal import Foundation
internal import Operations

/// One side of a relayed call: a connection, and what it reported. For use on the thread of the call.
final class RelaySide {
  typealias Instant = ContinuousClock.Instant

  /// The end of a side.
  enum End {
    /// The side has closed, with this code and reason.
    case closed(WebSocketClosing)
    /// The connection was lost, or broke a rule.
    case lost(String)
  }

  /// The reports of a connection, which come on the thread that uses it.
  private final class Reports: @unchecked Sendable {
    var waiting: [WebSocket.Report] = []
  }

  /// The time for a side to take bytes that wait for it.
  private static let stall = Duration.seconds(30)
  private static let readSize = 64 << 10

  private let connection: WebSocketConnection
  private let reports = Reports()
  private var isAsked = false
  private var messages = WaitingMessages()
  private let mostRead: Int
  private var lastProgress = Instant.now
  private var ending: End?

  /// Begins with an open connection. `makeConnection` gets the receiver of its reports.
  ///
  /// Messages that nobody takes yet wait here, so that the connection answers pings meanwhile. Once
  /// they have `mostRead` bytes, the connection is not read any more.
  init(
    mostRead: Int,
    _ makeConnection: (@escaping @Sendable (WebSocket.Report) -> Void) -> WebSocketConnection
  ) {
    self.mostRead = mostRead
    let reports = reports
    connection = makeConnection { reports.waiting.append($0) }
  }

  var isOver: Bool { connection.isOver }
  /// The end of the side, or nil while it goes on, or has messages.
  var end: End? {
    collect()
    return messages.isEmpty ? ending : nil
  }

  /// The same, but a loss at once: nobody is left for whom messages that wait would matter.
  var endOrLoss: End? {
    if let end { return end }
    if case .lost = ending { return ending }
    return nil
  }

  /// The number of bytes that wait to be sent.
  var waitingBytes: Int { connection.waitingBytes }

  /// The events to wait for with `poll`. A side that is over has none.
  var wanted: pollfd {
    let events =
      Int16(connection.wantsToRead ? POLLIN : 0) | Int16(connection.wantsToWrite ? POLLOUT : 0)
    return pollfd(fd: isOver ? -1 : connection.descriptor, events: events, revents: 0)
  }

  /// Reads and writes what is possible without waiting.
  func proceed(_ events: Int16, now: Instant) {
    guard !isOver else { return }
    if events & Int16(POLLOUT) != 0 || !connection.wantsToWrite { lastProgress = now }
    if events & Int16(POLLOUT) != 0 { connection.write() }
    if events & ~Int16(POLLOUT) != 0, !isOver { receive(now) }
    readAhead(now)
  }

  private func receive(_ now: Instant) {
    withUnsafeTemporaryAllocation(byteCount: Self.readSize, alignment: 1) { buffer in
      let count = recv(connection.descriptor, buffer.baseAddress, buffer.count, 0)
      if count < 0, [EAGAIN, EINTR].contains(errno) { return }
      guard count > 0 else { return connection.hungUp() }
      connection.accept(UnsafeRawBufferPointer(rebasing: buffer[..<count]), now: now)
    }
  }

  /// Returns the next message, or nil if there is none yet or the side has ended.
  func next(now: Instant) -> WebSocketMessage? {
    if messages.isEmpty { readAhead(now) }
    return messages.popFirst()
  }

  /// Asks for messages while there is room for them.
  private func readAhead(_ now: Instant) {
    collect()
    while !isAsked, ending == nil, messages.bytes < mostRead {
      isAsked = true
      connection.perform(.read, now: now)
      collect()
    }
  }

  /// Takes what the connection has reported.
  private func collect() {
    let waiting = reports.waiting
    reports.waiting.removeAll()
    for report in waiting {
      switch report {
      case .message(let next):
        isAsked = false
        messages.append(next)
      case .closedByClient: ending = .closed(connection.peerClosing ?? .normal)
      case .lost:
        ending =
          ending ?? connection.peerClosing.map(End.closed) ?? .lost(connection.problem ?? "lost")
      case .sent, .closed: break
      }
    }
  }

  func send(_ message: WebSocketMessage, now: Instant) {
    guard ending == nil else { return }
    connection.perform(.send(message), now: now)
  }

  func close(_ closing: WebSocketClosing, now: Instant) {
    connection.perform(.close(closing), now: now)
  }

  /// Gives up a side that is silent or does not read. Call this about once a second.
  func checkTime(_ now: Instant) {
    connection.checkTime(now)
    if connection.wantsToWrite, now - lastProgress > Self.stall { connection.hungUp() }
  }
}

/// The messages of a side that have come and were not taken yet.
private struct WaitingMessages {
  /// The memory of a message beside its bytes.
  private static let overhead = 64
  /// The places of messages that were taken and are kept in front of the others.
  private static let mostTaken = 256

  private var messages: [WebSocketMessage?] = []
  private var taken = 0
  /// The memory of the messages in bytes.
  private(set) var bytes = 0

  var isEmpty: Bool { taken == messages.count }

  mutating func append(_ message: WebSocketMessage) {
    messages.append(message)
    bytes += message.bytes.count + Self.overhead
  }

  mutating func popFirst() -> WebSocketMessage? {
    guard !isEmpty, let message = messages[taken].take() else { return nil }
    bytes -= message.bytes.count + Self.overhead
    taken += 1
    if isEmpty || taken > Self.mostTaken {
      messages.removeFirst(taken)
      taken = 0
    }
    return message
  }
}
