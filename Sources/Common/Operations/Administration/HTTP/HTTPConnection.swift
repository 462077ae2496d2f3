internal import Glibc

/// One connection of an operator: a request, its answer, and the end. For use on the listener's
/// thread only.
struct HTTPConnection {
  typealias Instant = ContinuousClock.Instant

  /// The time for the request to arrive.
  private static let requestLimit = Duration.seconds(5)
  /// The time for a task to make an answer.
  private static let exchangeLimit = Duration.seconds(3600)
  /// The time for the client to close its side, so that it can read the answer to a request that it
  /// has not sent completely.
  private static let closingLimit = Duration.seconds(1)
  /// The event of `poll` that tells that the client has closed its side. Its bytes are not read
  /// while a task makes the answer.
  private static let closedByPeer: Int16 = 0x2000

  /// The answer to a client that asks before it sends the body of its request.
  private static let continuing = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

  private enum Phase {
    case reading(HTTPRequestParser)
    case working(HTTPExchange, Task<Void, Never>, end: Instant, part: Outgoing)
    case writing(Outgoing)
    /// The answer that changes the protocol leaves.
    case upgrading(Outgoing, HTTPUpgrade, rest: [UInt8])
    /// The descriptor belongs to another protocol.
    case upgraded
    case closing
    case over
  }

  /// Bytes on their way to the client.
  private struct Outgoing {
    var bytes: [UInt8] = []
    var sent = 0
    var isEmpty: Bool { sent == bytes.count }
  }

  private let channel: HTTPChannel
  private let answered: HTTPListener.Observer
  /// Whether the connection uses the descriptor that is reserved for when there are no others.
  let usesReserve: Bool
  private let peer: String
  private let patience: Duration
  private(set) var deadline: Instant
  private var phase = Phase.reading(HTTPRequestParser())

  init(
    _ channel: HTTPChannel, peer: String, usesReserve: Bool, patience: Duration, now: Instant,
    answered: @escaping HTTPListener.Observer
  ) {
    self.channel = channel
    self.answered = answered
    self.peer = peer
    self.patience = patience
    self.usesReserve = usesReserve
    deadline = now + Self.requestLimit
  }

  var descriptor: Int32 { channel.descriptor }

  /// The events of `poll` that the connection waits for.
  var wantedEvents: Int16 {
    switch phase {
    case .reading, .closing, .over, .upgraded: Int16(channel.isWaiting ? POLLOUT : POLLIN)
    case .writing, .upgrading: Int16(POLLOUT)
    case .working(_, _, _, let part): Self.closedByPeer | (part.isEmpty ? 0 : Int16(POLLOUT))
    }
  }

  var isReading: Bool { if case .reading = phase { true } else { false } }

  /// Whether a task makes the answer.
  var isWorking: Bool { if case .working = phase { true } else { false } }

  var isOver: Bool { if case .over = phase { true } else { false } }

  /// Whether the descriptor belongs to another protocol.
  var isUpgraded: Bool { if case .upgraded = phase { true } else { false } }

  /// Reads and writes as far as possible without waiting. `answer` returns the answer to a request.
  mutating func proceed(
    _ events: Int16, now: Instant, waking waker: LoopWaker, _ answer: (HTTPRequest) -> HTTPAnswer
  ) {
    switch phase {
    case .reading(let parser): read(parser, now: now, waking: waker, answer)
    case .working:
      if events & (Self.closedByPeer | Int16(POLLHUP | POLLERR)) != 0 { return abort() }
      sendPart(now: now)
    case .writing: send(now: now)
    case .upgrading: upgrade()
    case .closing: if case .end = channel.receive() { phase = .over }
    case .upgraded, .over: break
    }
  }

  private mutating func read(
    _ parser: HTTPRequestParser, now: Instant, waking waker: LoopWaker,
    _ answer: (HTTPRequest) -> HTTPAnswer
  ) {
    let bytes: [UInt8]
    switch channel.receive() {
    case .bytes(let received): bytes = received
    case .nothing: return
    case .end: return phase = .over
    }
    var parser = parser
    let step = parser.accept(bytes)
    phase = .reading(parser)
    switch step {
    case .needsMore: break
    // Nothing else was sent before, so the system takes these few bytes at once.
    case .awaitsContinue:
      if channel.send(Self.continuing[...]) != Self.continuing.count { phase = .over }
    case .request(var request):
      request.peer = peer
      request.isEncrypted = channel.isEncrypted
      respond(
        answer(request), withBody: request.method != "HEAD", rest: parser.rest, waking: waker,
        now: now)
    case .refusal(let status): respond(.refusal(status), now: now)
    }
  }

  /// Takes the next part of an answer from its task, and sends as much as possible without waiting.
  mutating func pass(now: Instant) {
    guard case .working(let exchange, let task, let end, let part) = phase, part.isEmpty,
      let next = exchange.take()
    else { return }
    deadline = now + patience
    if next.isLast {
      phase = .writing(Outgoing(bytes: next.bytes))
      send(now: now)
    } else {
      phase = .working(exchange, task, end: end, part: Outgoing(bytes: next.bytes))
      sendPart(now: now)
    }
  }

  /// Ends the connection, or answers that its request took too long, if its time is over.
  mutating func expire(now: Instant) {
    // The descriptor of an upgraded connection belongs to its new owner, who closes it.
    guard now >= deadline, !isUpgraded else { return }
    if isReading, channel.isEstablished {
      respond(.refusal(.requestTimeout), now: now)
    } else {
      channel.expire()
      abort()
    }
  }

  /// Tells the task that makes the answer that the connection has ended.
  func abandon() {
    guard case .working(let exchange, let task, _, _) = phase else { return }
    exchange.close()
    task.cancel()
  }

  /// Counts a handshake that has not ended, if another connection needs the place of this one.
  func dismiss() { channel.expire() }

  private mutating func abort() {
    abandon()
    phase = .over
  }

  private mutating func respond(
    _ answer: HTTPAnswer, withBody: Bool, rest: [UInt8], waking waker: LoopWaker, now: Instant
  ) {
    switch answer {
    case .complete(let response): respond(response, withBody: withBody, now: now)
    case .later(let start):
      let exchange = HTTPExchange(answered: answered) { waker.wake() }
      deadline = now + Self.exchangeLimit
      phase = .working(exchange, start(exchange), end: deadline, part: Outgoing())
    case .upgrade(let upgrade) where !usesReserve:
      answered(.switchingProtocols)
      phase = .upgrading(Outgoing(bytes: upgrade.bytes), upgrade, rest: rest)
      deadline = now + patience
      self.upgrade()
    case .upgrade: respond(.refusal(.serviceUnavailable), now: now)
    }
  }

  private mutating func upgrade() {
    guard case .upgrading(var answer, let upgrade, let rest) = phase else { return }
    guard channel.flush(), push(&answer) else { return phase = .over }
    // The new owner does not know what the encryption still has to send.
    guard answer.isEmpty, !channel.isWaiting else {
      return phase = .upgrading(answer, upgrade, rest: rest)
    }
    phase = .upgraded
    upgrade.adopt(UpgradedConnection(descriptor, rest: rest, channel.takeEncryption()))
  }

  private mutating func respond(_ response: HTTPResponse, withBody: Bool = true, now: Instant) {
    answered(response.status)
    phase = .writing(Outgoing(bytes: response.bytes(withBody: withBody)))
    deadline = now + patience
    send(now: now)
  }

  private mutating func sendPart(now: Instant) {
    guard case .working(let exchange, let task, let end, var part) = phase, !part.isEmpty else {
      return
    }
    guard push(&part) else { return abort() }
    phase = .working(exchange, task, end: end, part: part)
    if part.isEmpty {
      deadline = end
      exchange.taken()
    }
  }

  private mutating func send(now: Instant) {
    guard case .writing(var rest) = phase else { return }
    guard push(&rest) else { return phase = .over }
    guard rest.isEmpty else { return phase = .writing(rest) }
    channel.endSending()
    phase = .closing
    deadline = now + Self.closingLimit
  }

  /// Sends as much as possible without waiting. Returns false if the connection has failed.
  private func push(_ rest: inout Outgoing) -> Bool {
    while !rest.isEmpty {
      guard let count = channel.send(rest.bytes[rest.sent...]) else { return false }
      guard count > 0 else { return true }
      rest.sent += count
    }
    return true
  }
}
