internal import Glibc

/// A connection after its handshake. For use on the thread of a `WebSocketService` only.
final class WebSocketConnection {
  typealias Instant = ContinuousClock.Instant

  /// The time limits for a client.
  struct Patience {
    /// The time without a byte after which the client is asked whether it is there.
    var silence = Duration.seconds(20)
    /// The time for the answer.
    var pong = Duration.seconds(10)
    /// The time for a message to arrive, from its first byte.
    var message = Duration.seconds(10)
    /// The time for the last bytes to leave, and for the client to close.
    var closing = Duration.seconds(2)
  }

  private enum Phase {
    case open
    /// The client has closed. It reads nothing but the end.
    case closedByClient
    /// The end is on its way to the client, or has been sent.
    case closing(until: Instant)
    case over
  }

  /// The codes with which a client gives up the connection, and not what it is for: those of
  /// applications.
  private static let givingUp: ClosedRange<UInt16> = 4000...4999

  let id: UInt64
  let descriptor: Int32
  private let owner: @Sendable (WebSocket.Report) -> Void
  private let patience: Patience
  private var reader: WebSocketReader
  private var phase = Phase.open
  /// Whether the owner knows that the connection has ended.
  private var isEndKnown = false
  /// Whether the owner waits for a message.
  private var isWanted = false
  /// The message, or the end of messages, that the owner has not asked for yet.
  private var held: WebSocket.Report?
  private var outgoing: [UInt8] = []
  private var sent = 0
  /// Whether a message of the owner is among the outgoing bytes.
  private var isSending = false
  /// The newest ping that has no answer yet.
  private var ping: [UInt8]?
  private var lastHeard: Instant
  private var asked: Instant?
  private var messageBegan: Instant?

  init(
    id: UInt64, descriptor: Int32, rest: [UInt8], limits: WebSocketReader.Limits,
    patience: Patience, report: @escaping @Sendable (WebSocket.Report) -> Void
  ) {
    self.id = id
    self.descriptor = descriptor
    owner = report
    self.patience = patience
    reader = WebSocketReader(limits)
    lastHeard = .now
    rest.withUnsafeBytes { reader.append($0) }
  }

  var isOver: Bool { if case .over = phase { true } else { false } }

  /// Whether the connection waits for bytes. A message that nobody wants yet holds the client back.
  var wantsToRead: Bool { held == nil && !isOver }

  var wantsToWrite: Bool { sent < outgoing.count && !isOver }

  /// The number of bytes of incomplete messages.
  var keptBytes: Int { reader.keptBytes }

  // MARK: Commands

  func perform(_ command: WebSocket.Command, now: Instant) {
    switch command {
    case .read:
      isWanted = true
      deliver()
      proceed(now)
    case .send(let message):
      guard case .open = phase else { return report(.sent) }
      isSending = true
      outgoing += WebSocketFrames.message(message)
      write()
    case .close(let closing): close(closing, now)
    case .abort(let closing):
      report(.lost)
      // Part of a message may have left, so that the end cannot follow.
      if wantsToWrite { phase = .over } else { close(closing, now) }
    }
  }

  private func close(_ closing: WebSocketClosing, _ now: Instant) {
    switch phase {
    case .open:
      outgoing += WebSocketFrames.close(closing)
      phase = .closing(until: now + patience.closing)
    case .closedByClient: phase = .closing(until: now + patience.closing)
    case .closing, .over: return
    }
    held = nil
    write()
  }

  // MARK: Input

  /// Takes bytes that have arrived.
  func take(_ bytes: UnsafeRawBufferPointer, now: Instant) {
    lastHeard = now
    asked = nil
    reader.append(bytes)
    proceed(now)
  }

  /// Records that the client is gone.
  func hungUp() {
    report(.lost)
    phase = .over
  }

  private func proceed(_ now: Instant) {
    while held == nil, !isOver, let event = reader.next() {
      switch event {
      case .message(let message): hold(.message(message))
      case .ping(let payload):
        ping = payload
        write()
      case .pong: break
      case .close(let code): clientCloses(code, now)
      case .violation(let closing): fail(closing, now)
      }
    }
    messageBegan = held == nil && reader.isInMessage ? messageBegan ?? now : nil
  }

  private func clientCloses(_ code: UInt16?, _ now: Instant) {
    switch phase {
    case .open where Self.givingUp.contains(code ?? 0):
      fail(WebSocketClosing(code ?? 0), now)
    case .open:
      phase = .closedByClient
      outgoing += WebSocketFrames.close(WebSocketClosing(code ?? 1000))
      write()
      hold(.closedByClient)
    case .closing: if isEndKnown { phase = .over }
    case .closedByClient, .over: break
    }
  }

  private func hold(_ event: WebSocket.Report) {
    // After the end, nobody asks any more.
    switch phase {
    case .open, .closedByClient: held = event
    case .closing, .over: return
    }
    deliver()
  }

  private func deliver() {
    guard isWanted, let event = held.take() else { return }
    isWanted = false
    report(event)
  }

  // MARK: Output

  /// Sends as much as possible without waiting.
  func write() {
    while true {
      if sent == outgoing.count {
        outgoing.removeAll(keepingCapacity: true)
        sent = 0
        finishWriting()
        guard let payload = ping.take(), case .open = phase else { return }
        outgoing = WebSocketFrames.frame(.pong, payload)
      }
      let count = outgoing[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return }
      guard count > 0 else { return hungUp() }
      sent += count
    }
  }

  private func finishWriting() {
    if isSending {
      isSending = false
      report(.sent)
    }
    guard case .closing = phase else { return }
    report(.closed)
    shutdown(descriptor, Int32(SHUT_WR))
  }

  // MARK: Time

  /// Checks the limits. Call this about once a second.
  func checkTime(_ now: Instant) {
    switch phase {
    case .open: checkClient(now)
    case .closing(let end) where now >= end: hungUp()
    case .closedByClient, .closing, .over: break
    }
  }

  private func checkClient(_ now: Instant) {
    // Bytes of a client that is held back are not read, and may have the answer.
    guard held == nil else { return lastHeard = now }
    if let messageBegan, now - messageBegan > patience.message {
      return fail(WebSocketClosing(1008, "a message has to arrive within \(patience.message)"), now)
    }
    if let asked {
      if now - asked > patience.pong { hungUp() }
    } else if now - lastHeard > patience.silence, !wantsToWrite {
      asked = now
      outgoing += WebSocketFrames.frame(.ping, [])
      write()
    }
  }

  /// Ends the connection of a client that broke a rule.
  func fail(_ closing: WebSocketClosing, _ now: Instant) {
    report(.lost)
    close(closing, now)
  }

  /// Reports to the owner, unless the owner knows that the connection has ended.
  private func report(_ report: WebSocket.Report) {
    guard !isEndKnown else { return }
    switch report {
    case .closed, .lost:
      isEndKnown = true
      held = nil
    case .message, .closedByClient, .sent: break
    }
    owner(report)
  }
}
