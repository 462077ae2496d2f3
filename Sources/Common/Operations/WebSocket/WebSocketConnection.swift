internal import Glibc
package import LinuxSystem

/// A connection after its handshake, of either side. For use on one thread, such as that of a
/// `WebSocketService`.
package final class WebSocketConnection {
  package typealias Instant = ContinuousClock.Instant

  /// The time limits for the other side.
  package struct Patience: Sendable {
    /// The time without a byte after which the other side is asked whether it is there.
    package var silence = Duration.seconds(20)
    /// The time for the answer.
    package var pong = Duration.seconds(10)
    /// The time for a message to arrive, from its first byte.
    package var message = Duration.seconds(10)
    /// The time for the last bytes to leave, and for the other side to close.
    package var closing = Duration.seconds(2)

    package init() {}
  }

  private enum Phase {
    case open
    /// The other side has closed. It reads nothing but the end.
    case closedByClient
    /// The end is on its way to the other side, or has been sent.
    case closing(until: Instant)
    case over
  }

  /// The codes with which the other side gives up the connection, and not what it is for: those of
  /// applications.
  private static let givingUp: ClosedRange<UInt16> = 4000...4999
  /// The bytes that were sent and are kept in front of those that wait.
  private static let mostSent = 64 << 10

  let id: UInt64
  package let descriptor: Int32
  /// The end that the other side has sent. Its code is 1005 if the other side gave none.
  package private(set) var peerClosing: WebSocketClosing?
  /// The reason why the connection was lost, if it broke a rule or failed.
  package private(set) var problem: String?
  private let role: WebSocketRole
  private let owner: @Sendable (WebSocket.Report) -> Void
  private let patience: Patience
  private var tls: TLSClient?
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

  /// Begins with a descriptor that does not block. `rest` are bytes that followed the handshake, and
  /// `tls` is the encryption of the connection. `report` runs on the thread that uses the connection.
  package init(
    id: UInt64 = 0, descriptor: Int32, rest: [UInt8], as role: WebSocketRole = .server,
    tls: consuming TLSClient? = nil, limits: WebSocketReader.Limits, patience: Patience,
    report: @escaping @Sendable (WebSocket.Report) -> Void
  ) {
    self.id = id
    self.descriptor = descriptor
    self.role = role
    self.tls = tls
    owner = report
    self.patience = patience
    reader = WebSocketReader(limits, as: role)
    lastHeard = .now
    rest.withUnsafeBytes { reader.append($0) }
  }

  package var isOver: Bool { if case .over = phase { true } else { false } }

  /// Whether the connection waits for bytes. A message that nobody wants yet holds the other side back.
  package var wantsToRead: Bool { held == nil && !isOver }

  package var wantsToWrite: Bool { sent < outgoing.count && !isOver }

  /// The number of bytes that wait to be sent.
  package var waitingBytes: Int { outgoing.count - sent }

  /// The number of bytes of incomplete messages.
  var keptBytes: Int { reader.keptBytes }

  // MARK: Commands

  package func perform(_ command: WebSocket.Command, now: Instant) {
    switch command {
    case .read:
      isWanted = true
      deliver()
      proceed(now)
    case .send(let message):
      guard case .open = phase else { return report(.sent) }
      isSending = true
      enqueue(WebSocketFrames.message(message, from: role))
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
      enqueue(WebSocketFrames.close(closing, from: role))
      phase = .closing(until: now + patience.closing)
    case .closedByClient: phase = .closing(until: now + patience.closing)
    case .closing, .over: return
    }
    endEncryption()
    held = nil
    write()
  }

  // MARK: Input

  /// Takes bytes that have arrived.
  package func accept(_ bytes: UnsafeRawBufferPointer, now: Instant) {
    lastHeard = now
    asked = nil
    if tls == nil {
      reader.append(bytes)
    } else {
      guard decrypt(bytes) else { return hungUp() }
    }
    proceed(now)
    if tls?.isClosed == true, !isOver { hungUp() }
  }

  /// Records that the other side is gone.
  package func hungUp() {
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
      case .close(let closing):
        peerClosing = closing ?? WebSocketClosing(WebSocketClosing.noCode)
        clientCloses(closing?.code, now)
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
      enqueue(WebSocketFrames.close(WebSocketClosing(code ?? 1000), from: role))
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

  private func enqueue(_ frame: [UInt8]) {
    if sent > Self.mostSent {
      outgoing.removeFirst(sent)
      sent = 0
    }
    guard tls != nil else { return outgoing += frame }
    do {
      try tls?.send(frame)
      outgoing += tls?.popOutgoing() ?? []
    } catch {
      problem = error.description
      hungUp()
    }
  }

  /// Announces the end of the encrypted bytes.
  private func endEncryption() {
    guard tls != nil, !isOver else { return }
    tls?.close()
    outgoing += tls?.popOutgoing() ?? []
  }

  /// Passes encrypted bytes to the reader. Returns false if they are not valid.
  private func decrypt(_ bytes: UnsafeRawBufferPointer) -> Bool {
    do {
      let plain = try tls?.receive(bytes) ?? []
      plain.withUnsafeBytes { reader.append($0) }
      outgoing += tls?.popOutgoing() ?? []
      return true
    } catch {
      problem = error.description
      return false
    }
  }

  /// Sends as much as possible without waiting.
  package func write() {
    while true {
      if sent == outgoing.count {
        outgoing.removeAll(keepingCapacity: true)
        sent = 0
        finishWriting()
        guard let payload = ping.take(), case .open = phase else { return }
        enqueue(WebSocketFrames.frame(.pong, payload, from: role))
        continue
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
  package func checkTime(_ now: Instant) {
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
      enqueue(WebSocketFrames.frame(.ping, [], from: role))
      write()
    }
  }

  /// Ends the connection because the other side broke a rule.
  func fail(_ closing: WebSocketClosing, _ now: Instant) {
    problem = closing.reason
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
