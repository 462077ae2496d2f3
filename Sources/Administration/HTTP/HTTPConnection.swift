internal import Glibc

/// One connection of an operator: a request, its answer, and the end. For use on the listener's
/// thread only.
struct HTTPConnection {
  typealias Instant = ContinuousClock.Instant

  /// The time for the request to arrive, and then for the client to read the answer.
  static let requestLimit = Duration.seconds(5)
  static let responseLimit = Duration.seconds(10)
  /// The time for the client to close its side, so that it can read the answer to a request that it
  /// has not sent completely.
  private static let closingLimit = Duration.seconds(1)

  private enum Phase {
    case reading(HTTPRequestParser)
    case writing([UInt8], sent: Int)
    case closing
    case over
  }

  let descriptor: Int32
  /// Whether the connection uses the descriptor that is reserved for when there are no others.
  let usesReserve: Bool
  private(set) var deadline: Instant
  private var phase = Phase.reading(HTTPRequestParser())

  init(descriptor: Int32, usesReserve: Bool, now: Instant) {
    self.descriptor = descriptor
    self.usesReserve = usesReserve
    deadline = now + Self.requestLimit
  }

  /// The events of `poll` that the connection waits for.
  var wantedEvents: Int16 {
    if case .writing = phase { Int16(POLLOUT) } else { Int16(POLLIN) }
  }

  var isReading: Bool { if case .reading = phase { true } else { false } }

  var isOver: Bool { if case .over = phase { true } else { false } }

  /// Does what can be done without waiting. `answer` returns the answer to a request.
  mutating func proceed(now: Instant, _ answer: (HTTPRequest) -> HTTPResponse) {
    switch phase {
    case .reading(var parser):
      guard let bytes = receive() else { return }
      guard !bytes.isEmpty else { return phase = .over }
      let step = parser.take(bytes)
      phase = .reading(parser)
      switch step {
      case .needsMore: break
      case .request(let request):
        respond(answer(request), withBody: request.method != "HEAD", now: now)
      case .refusal(let status): respond(.refusal(status), now: now)
      }
    case .writing: send(now: now)
    case .closing: if receive()?.isEmpty ?? false { phase = .over }
    case .over: break
    }
  }

  /// Ends the connection, or answers that its request took too long, if its time is over.
  mutating func expire(now: Instant) {
    guard now >= deadline else { return }
    if isReading { respond(.refusal(.requestTimeout), now: now) } else { phase = .over }
  }

  private mutating func respond(_ response: HTTPResponse, withBody: Bool = true, now: Instant) {
    phase = .writing(response.bytes(withBody: withBody), sent: 0)
    deadline = now + Self.responseLimit
    send(now: now)
  }

  private mutating func send(now: Instant) {
    guard case .writing(let bytes, var sent) = phase else { return }
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return phase = .writing(bytes, sent: sent) }
      guard count > 0 else { return phase = .over }
      sent += count
    }
    shutdown(descriptor, Int32(SHUT_WR))
    phase = .closing
    deadline = now + Self.closingLimit
  }

  /// Returns the bytes that have arrived, an empty array at the end of the connection, and nil if
  /// there is nothing to read yet.
  private func receive() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return nil }
      return Array(buffer.prefix(max(0, count)))
    }
  }
}
