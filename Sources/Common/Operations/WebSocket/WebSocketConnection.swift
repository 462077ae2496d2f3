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

  let id: UInt64
  package let descriptor: Int32
  /// The end that the other side has sent. Its code is 1005 if the other side gave none.
  package private(set) var peerClosing: WebSocketClosing?
  /// The reason why the connection was lost, if it broke a rule or failed.
  package private(set) var problem: String?
  private let role: WebSocketRole
  private var owner: Owner
  private let patience: Patience
  private var tls: TLSStream?
  private var reader: WebSocketReader
  private var phase = Phase.open
  private var outgoing = OutgoingBytes()
  /// The newest ping that has no answer yet.
  private var ping: [UInt8]?
  private var times: Times

  /// Begins with a descriptor that does not block. `rest` are bytes that followed the handshake, and
  /// `tls` is the encryption of the connection. `report` runs on the thread that uses the connection.
  package init(
    id: UInt64 = 0, descriptor: Int32, rest: [UInt8], as role: WebSocketRole = .server,
    tls: consuming TLSStream? = nil, limits: WebSocketReader.Limits, patience: Patience,
    report: @escaping @Sendable (WebSocket.Report) -> Void
  ) {
    self.id = id
    self.descriptor = descriptor
    self.role = role
    self.tls = tls
    owner = Owner(report: report)
    self.patience = patience
    reader = WebSocketReader(limits, as: role)
    times = Times(lastHeard: .now)
    rest.withUnsafeBytes { reader.append($0) }
  }

  package var isOver: Bool { if case .over = phase { true } else { false } }

  /// Whether the connection waits for bytes. A message that nobody wants yet holds the other side back.
  package var wantsToRead: Bool { owner.held == nil && !isOver }

  package var wantsToWrite: Bool { outgoing.waiting > 0 && !isOver }

  /// The number of bytes that wait to be sent.
  package var waitingBytes: Int { outgoing.waiting }

  /// The number of bytes of incomplete messages.
  var keptBytes: Int { reader.keptBytes }

  // MARK: Commands

  package func perform(_ command: WebSocket.Command, now: Instant) {
    switch command {
    case .read:
      owner.isWanted = true
      deliver()
      proceed(now)
    case .send(let message):
      guard case .open = phase else { return report(.sent) }
      outgoing.hasMessage = true
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
      guard !isOver else { return }
      phase = .closing(until: now + patience.closing)
    case .closedByClient: phase = .closing(until: now + patience.closing)
    case .closing, .over: return
    }
    endEncryption()
    owner.held = nil
    write()
  }

  // MARK: Input

  /// Takes bytes that have arrived.
  package func accept(_ bytes: UnsafeRawBufferPointer, now: Instant) {
    times.lastHeard = now
    times.asked = nil
    if tls == nil {
      reader.append(bytes)
    } else {
      guard decrypt(bytes) else { return hungUp() }
    }
    proceed(now)
  }

  /// Records that the other side is gone.
  package func hungUp() {
    report(.lost)
    phase = .over
  }

  private func proceed(_ now: Instant) {
    while owner.held == nil, !isOver, let event = reader.next() {
      switch event {
      case .message(let message):
        times.messageBegan = nil
        hold(.message(message))
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
    times.messageBegan = owner.held == nil && reader.isInMessage ? times.messageBegan ?? now : nil
    // The other side has ended the connection, and all its messages have been delivered.
    if tls?.isClosed == true, owner.held == nil, !isOver { hungUp() }
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
    case .closing: if owner.isEndKnown { phase = .over }
    case .closedByClient, .over: break
    }
  }

  private func hold(_ event: WebSocket.Report) {
    // After the end, nobody asks any more.
    switch phase {
    case .open, .closedByClient: owner.held = event
    case .closing, .over: return
    }
    deliver()
  }

  private func deliver() {
    guard owner.isWanted, let event = owner.held.take() else { return }
    owner.isWanted = false
    report(event)
  }

  // MARK: Output

  private func enqueue(_ frame: [UInt8]) {
    guard tls != nil else { return outgoing.append(frame) }
    do {
      try tls?.send(frame)
      outgoing.append(tls?.popOutgoing() ?? [])
    } catch {
      problem = error.description
      hungUp()
    }
  }

  /// Announces the end of the encrypted bytes.
  private func endEncryption() {
    guard tls != nil, !isOver else { return }
    tls?.close()
    outgoing.append(tls?.popOutgoing() ?? [])
  }

  /// Passes encrypted bytes to the reader. Returns false if they are not valid.
  private func decrypt(_ bytes: UnsafeRawBufferPointer) -> Bool {
    do {
      let plain = try tls?.receive(bytes) ?? []
      plain.withUnsafeBytes { reader.append($0) }
      outgoing.append(tls?.popOutgoing() ?? [])
      return true
    } catch {
      problem = error.description
      return false
    }
  }

  /// Sends as much as possible without waiting.
  package func write() {
    while true {
      if outgoing.waiting == 0 {
        outgoing.clear()
        finishWriting()
        guard let payload = ping.take(), case .open = phase else { return }
        enqueue(WebSocketFrames.frame(.pong, payload, from: role))
        continue
      }
      let count = outgoing.send(to: descriptor)
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return }
      guard count > 0 else { return hungUp() }
      outgoing.recordSent(count)
    }
  }

  private func finishWriting() {
    if outgoing.hasMessage {
      outgoing.hasMessage = false
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
    guard owner.held == nil else { return times.lastHeard = now }
    if let began = times.messageBegan, now - began > patience.message {
      return fail(WebSocketClosing(1008, "a message has to arrive within \(patience.message)"), now)
    }
    if let asked = times.asked {
      if now - asked > patience.pong { hungUp() }
    } else if now - times.lastHeard > patience.silence, !wantsToWrite {
      times.asked = now
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
    guard !owner.isEndKnown else { return }
    switch report {
    case .closed, .lost:
      owner.isEndKnown = true
      owner.held = nil
    case .message, .closedByClient, .sent: break
    }
    owner.report(report)
  }
}

/// The party that uses a connection, which asks for each message.
private struct Owner {
  let report: @Sendable (WebSocket.Report) -> Void
  /// Whether the owner knows that the connection has ended.
  var isEndKnown = false
  /// Whether the owner waits for a message.
  var isWanted = false
  /// The message, or the end of messages, that the owner has not asked for yet.
  var held: WebSocket.Report?
}

/// The times at which the other side was heard, was asked whether it is there, and began a message.
private struct Times {
  var lastHeard: ContinuousClock.Instant
  var asked: ContinuousClock.Instant?
  var messageBegan: ContinuousClock.Instant?
}

/// The bytes on their way to the other side.
private struct OutgoingBytes {
  /// The bytes that were sent and are kept in front of those that wait.
  private static let mostSent = 64 << 10

  private var bytes: [UInt8] = []
  private var sent = 0
  /// Whether a message of the owner is among the bytes.
  var hasMessage = false

  var waiting: Int { bytes.count - sent }

  mutating func append(_ more: [UInt8]) {
    if sent > Self.mostSent {
      bytes.removeFirst(sent)
      sent = 0
    }
    bytes += more
  }

  mutating func clear() {
    bytes.removeAll(keepingCapacity: true)
    sent = 0
  }

  /// Sends as much as possible at once. Returns the result of the system call.
  func send(to descriptor: Int32) -> Int {
    bytes[sent...].withUnsafeBytes {
      Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
  }

  mutating func recordSent(_ count: Int) { sent += count }
}
