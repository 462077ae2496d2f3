internal import Foundation
internal import LinuxSystem
internal import Operations

/// A WebSocket to an upstream that has just been opened.
struct UpstreamLink: ~Copyable {
  var socket: ConnectedSocket
  /// The encryption, or nil.
  var tls: TLSStream?
  /// The headers of the answer 101, with lower-case names.
  var headers: [String: String] = [:]
  /// Bytes that followed the answer.
  var rest: [UInt8] = []

  /// Sends bytes, encrypted if the link is.
  mutating func send(_ bytes: [UInt8]) throws(TLSError) {
    try socket.send(bytes, through: &tls)
  }

  /// Appends the bytes that have arrived, decrypted if the link is encrypted. Returns false at the end.
  mutating func receive(into bytes: inout [UInt8]) throws(TLSError) -> Bool {
    try socket.receive(into: &bytes, through: &tls)
  }
}

/// Opens WebSockets to an upstream. The functions wait, for the thread of a call.
struct UpstreamDialer: Sendable {
  /// The reason why an upstream was not opened.
  struct DialError: Error {
    /// The answer for the client: that of the upstream as it came, or one of the bridge.
    let answer: [UInt8]
    let reason: String
  }

  /// The time for an upstream to answer.
  private static let patience = Duration.seconds(10)
  /// The time for the body of a refusal.
  private static let bodyPatience = Duration.seconds(2)
  private static let longestBody = 64 << 10
  /// Headers that belong to one connection, those of a WebSocket, which both sides have their own of, and the one
  /// that is meant for the bridge.
  private static let ownHeaders: Set = [
    "host", "connection", "upgrade", "keep-alive", "te", "trailer", "transfer-encoding", "expect",
    "content-length", "proxy-authorization", "proxy-connection", "sec-websocket-key",
    "sec-websocket-version", "sec-websocket-extensions", "sec-websocket-protocol",
    "sec-websocket-accept", "anechoic-line",
  ]

  let address: UpstreamAddress
  /// The authorities for `wss:`, or nil.
  let authorities: TLSAuthorities?

  /// Returns the headers that pass from one side to the other.
  static func passing(_ headers: [String: String]) -> [String: String] {
    headers.filter { !ownHeaders.contains($0.key) }
  }

  /// Opens a WebSocket with the path, the query and the headers of a client's request.
  func dial(for request: HTTPRequest) throws(DialError) -> UpstreamLink {
    let deadline = ContinuousClock.now + Self.patience
    var link = try connect(by: deadline)
    var opening = WebSocketOpening(offering: request.headers["sec-websocket-protocol"])
    let bytes = opening.request(
      address.target(for: request), host: address.hostHeader, Self.passing(request.headers))
    do {
      try link.send(bytes)
    } catch { throw failed("\(error)") }
    while true {
      let (answer, isOpen) = try receive(&link, by: deadline)
      switch opening.accept(answer) {
      case .needsMore: if !isOpen { throw failed("it closed the connection") }
      case .open(let headers, let rest):
        (link.headers, link.rest) = (headers, rest)
        return link
      case .refused(let status, let head, let bodyCount, let rest):
        let body = isOpen ? self.body(&link, bodyCount, rest) : rest
        throw DialError(answer: head + body, reason: "\(address) answered with \(status)")
      case .violation(let words): throw failed(words)
      }
    }
  }

  private func failed(_ words: String, _ status: HTTPStatus = .badGateway) -> DialError {
    let reason = "\(address): \(words)"
    return DialError(answer: HTTPResponse("\(reason)\n", status: status).bytes(), reason: reason)
  }

  private func connect(by deadline: ContinuousClock.Instant) throws(DialError) -> UpstreamLink {
    var link = UpstreamLink(socket: try dial(by: deadline))
    guard let authorities else { return link }
    do {
      link.tls = try TLSStream.connecting(to: address.host, authorities)
    } catch { throw failed("\(error)") }
    link.socket.send(link.tls?.popOutgoing() ?? [])
    while link.tls?.isEstablished == false {
      let (_, isOpen) = try receive(&link, by: deadline)
      if !isOpen { throw failed("it closed the connection during the TLS handshake") }
    }
    return link
  }

  private func dial(by deadline: ContinuousClock.Instant) throws(DialError) -> ConnectedSocket {
    do {
      return try ConnectedSocket.dialing(address.host, address.port, by: deadline)
    } catch {
      switch error {
      case .unreachable: throw failed("the host cannot be reached")
      case .silent: throw failed("it does not answer", .gatewayTimeout)
      case .failed(let words): throw failed(words)
      }
    }
  }

  /// Waits for bytes of the upstream, and returns those that arrived, decrypted.
  private func receive(
    _ link: inout UpstreamLink, by deadline: ContinuousClock.Instant
  ) throws(DialError) -> (bytes: [UInt8], isOpen: Bool) {
    let wanted = Int16(POLLIN) | Int16(link.socket.waitingBytes > 0 ? POLLOUT : 0)
    var events = [pollfd(fd: link.socket.descriptor, events: wanted, revents: 0)]
    guard poll(&events, 1, Self.milliseconds(until: deadline)) == 1 else {
      throw failed("it does not answer", .gatewayTimeout)
    }
    link.socket.flush()
    guard events[0].revents & ~Int16(POLLOUT) != 0 else { return ([], true) }
    var bytes: [UInt8] = []
    do {
      let isOpen = try link.receive(into: &bytes)
      return (bytes, isOpen)
    } catch {
      throw failed("\(error)")
    }
  }

  /// Returns the body of a refusal, as far as it comes in time.
  private func body(_ link: inout UpstreamLink, _ count: Int?, _ rest: [UInt8]) -> [UInt8] {
    let wanted = min(count ?? Self.longestBody, Self.longestBody)
    let deadline = ContinuousClock.now + Self.bodyPatience
    var body = rest
    while body.count < wanted, let next = try? receive(&link, by: deadline) {
      body += next.bytes
      if !next.isOpen || (count == nil && body.suffix(5) == Array("0\r\n\r\n".utf8)[...]) { break }
    }
    return Array(body.prefix(wanted))
  }

  private static func milliseconds(until deadline: ContinuousClock.Instant) -> Int32 {
    Int32(max(0, (deadline - .now) / .milliseconds(1)))
  }
}
