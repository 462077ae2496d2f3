import Foundation
import Synchronization
import TestNetwork
import Testing
import TestTime

@testable import Operations

/// WebSockets on a listener, through real sockets.
@Suite(.timeLimit(.minutes(1)))
struct WebSocketServiceTests {
  /// A server that sends back what it gets. It reads only if `isReading` says so.
  final class Echo: Sendable {
    let listener: HTTPListener
    let service: WebSocketService
    let reports: Journal

    init(
      isReading: Bool = true, messageBytes: Int = 1 << 20, security: HTTPSecurity? = nil
    ) throws {
      let service = try WebSocketService(messageBytes: messageBytes)
      let reports = Journal()
      self.service = service
      self.reports = reports
      listener = try HTTPListener("127.0.0.1:0", security: security) { request in
        switch WebSocketHandshake.check(request) {
        case .refused(let response): .complete(response)
        case .accepted(let handshake):
          .upgrade(
            HTTPUpgrade(headers: handshake.headers(choosing: handshake.offered.first)) {
              let place = Mutex<WebSocket?>(nil)
              let holder = Holder(place)
              let socket = service.adopt($0) { report in
                reports.add(report)
                holder.answer(report)
              }
              holder.hold(socket)
              if isReading { socket.read() }
            })
        }
      }
    }

    deinit {
      listener.stop()
      service.stop()
    }

    func client(_ headers: [String: String] = [:], then first: [UInt8] = []) throws
      -> RawWebSocketClient
    {
      try RawWebSocketClient(listener.address, "/", headers: headers, then: first)
    }
  }

  /// The socket of a connection, which its reports use.
  private final class Holder: Sendable {
    private let socket: Mutex<WebSocket?>
    private let isHeld = DispatchSemaphore(value: 0)

    init(_ socket: consuming Mutex<WebSocket?>) { self.socket = socket }

    func hold(_ new: WebSocket) {
      socket.withLock { $0 = new }
      isHeld.signal()
    }

    func answer(_ report: WebSocket.Report) {
      // The report may come before `hold`.
      isHeld.wait()
      isHeld.signal()
      guard let socket = socket.withLock({ $0 }) else { return }
      switch report {
      case .message(let message): socket.send(message)
      case .sent: socket.read()
      case .closedByClient: socket.close(.normal)
      case .closed, .lost: break
      }
    }
  }

  final class Journal: Sendable {
    private let words = Mutex<[String]>([])
    private let news = NSCondition()

    func add(_ report: WebSocket.Report) {
      let word =
        switch report {
        case .message(let message): "message \(message.bytes.count)"
        case .closedByClient: "closed by client"
        case .sent: "sent"
        case .closed: "closed"
        case .lost: "lost"
        }
      words.withLock { $0.append(word) }
      news.withLock { news.broadcast() }
    }

    func wait(for word: String) throws {
      let end = Date.now + 20
      try news.withLock {
        while !all.contains(word) {
          try #require(news.wait(until: end), "\(word) never came: \(all)")
        }
      }
    }

    var all: [String] { words.withLock { $0 } }
  }

  @Test func theHandshakeHasTheAnswerOfTheStandard() throws {
    let echo = try Echo()
    let client = try echo.client(["Sec-WebSocket-Protocol": "one, two"])
    #expect(client.status == 101)
    // The key and the answer are those of RFC 6455, section 1.3.
    #expect(client.head.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
    #expect(client.head.contains("Sec-WebSocket-Protocol: one"))
    #expect(!client.head.contains("Extensions"))
  }

  @Test func requestsThatAreNoHandshakeAreRefused() throws {
    let echo = try Echo()
    #expect(try echo.client(["Upgrade": ""]).status == 426)
    #expect(try echo.client(["Connection": "close"]).status == 426)
    #expect(try echo.client(["Sec-WebSocket-Version": "8"]).status == 426)
    #expect(try echo.client(["Sec-WebSocket-Key": "short"]).status == 400)
    #expect(try echo.client(["Sec-WebSocket-Key": ""]).status == 400)
  }

  @Test func messagesOfAllSizesComeBack() throws {
    let echo = try Echo()
    let client = try echo.client()
    for count in [0, 1, 125, 126, 70_000, 600_000] {
      let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
      client.send(RawWebSocketClient.binary, payload)
      #expect(client.next()?.payload == payload)
    }
    client.send("é")
    #expect(client.next()?.text == "é")
  }

  @Test func bytesThatFollowTheHandshakeAtOnceAreNotLost() throws {
    let echo = try Echo()
    let client = try echo.client(then: RawWebSocketClient.frame(1, Array("soon".utf8)))
    #expect(client.next()?.text == "soon")
  }

  @Test func pingsAreAnsweredAlsoBetweenFragments() throws {
    let echo = try Echo()
    let client = try echo.client()
    client.send(RawWebSocketClient.text, Array("a".utf8), isFinal: false)
    client.send(RawWebSocketClient.ping, [7])
    #expect(client.next() == .init(opcode: RawWebSocketClient.pong, payload: [7]))
    client.send(0, Array("b".utf8))
    #expect(client.next()?.text == "ab")
  }

  @Test func aClientThatClosesGetsItsCodeBack() throws {
    let echo = try Echo()
    let client = try echo.client()
    client.send(RawWebSocketClient.close, [0x03, 0xE9])
    #expect(client.rest().last?.code == 1001)
    try echo.reports.wait(for: "closed")
    #expect(echo.reports.all == ["closed by client", "closed"])
  }

  @Test func aClientThatGivesTheConnectionUpIsLost() throws {
    let echo = try Echo()
    let client = try echo.client()
    client.send(RawWebSocketClient.close, [0x0F, 0xA0])
    #expect(client.rest().last?.code == 4000)
    try echo.reports.wait(for: "lost")
    #expect(echo.reports.all == ["lost"])
  }

  @Test func aClientThatBreaksARuleIsToldAndLost() throws {
    let echo = try Echo()
    let client = try echo.client()
    client.send(raw: RawWebSocketClient.frame(1, [65], isMasked: false))
    #expect(client.rest().last?.code == 1002)
    try echo.reports.wait(for: "lost")
    let large = try echo.client()
    large.send(raw: [0x82, 0xFF, 0, 0, 0, 0, 0x7F, 0, 0, 0, 1, 2, 3, 4])
    #expect(large.rest().last?.code == 1009)
  }

  @Test func aConnectionThatIsResetIsLostOnce() async throws {
    let echo = try Echo()
    let client = try echo.client()
    client.send("x")
    #expect(client.next()?.text == "x")
    client.reset()
    try echo.reports.wait(for: "lost")
    try await remains("lost once", for: .milliseconds(50)) {
      echo.reports.all.count { $0 == "lost" } == 1
    }
  }

  @Test func aClientIsHeldBackWhileNobodyReads() async throws {
    let echo = try Echo(isReading: false)
    let client = try echo.client()
    // Far more than the server and the system keep. The client would block without another thread.
    let sent = Atomic(0)
    let thread = Thread {
      for _ in 0..<64 {
        client.send(RawWebSocketClient.binary, [UInt8](repeating: 0, count: 256 << 10))
        sent.add(1, ordering: .relaxed)
      }
    }
    thread.start()
    let most = try await settled("the client") { sent.load(ordering: .relaxed) }
    #expect(most < 60)
    #expect(echo.reports.all == [])
    client.reset()
  }

  /// Otherwise seconds of sound wait there, and nothing that is too old can be dropped.
  @Test func littleOutputWaitsInTheSystemForASlowNetwork() async throws {
    let echo = try Echo()
    let client = try RawWebSocketClient(echo.listener.address, "/", receiveBuffer: 4096)
    for _ in 0..<200 { client.send(RawWebSocketClient.binary, [UInt8](repeating: 0, count: 1024)) }
    try echo.reports.wait(for: "sent")
    let most = try await settled("the output") { echo.reports.all.count { $0 == "sent" } }
    #expect(most < 48)
    client.reset()
  }

  @Test func aServiceThatStopsClosesItsConnections() throws {
    let echo = try Echo()
    let client = try echo.client()
    echo.service.stop()
    #expect(client.next() == nil)
    try echo.reports.wait(for: "lost")
  }

  @Test func otherSitesAreRefusedUnlessTheyAreAllowed() {
    let rule = OriginRule(["https://app.example"], or: BrowserRule(.thisMachine))
    #expect(rule.allows(HTTPRequest(headers: ["host": "voice.example"])))
    #expect(
      rule.allows(HTTPRequest(headers: ["host": "voice.example", "origin": "https://app.example"])))
    #expect(
      rule.allows(HTTPRequest(headers: ["host": "127.0.0.1:1", "origin": "http://127.0.0.1:1"])))
    #expect(
      !rule.allows(HTTPRequest(headers: ["host": "127.0.0.1:1", "origin": "http://127.0.0.1:2"])))
    #expect(!rule.allows(HTTPRequest(headers: ["host": "127.0.0.1:1", "origin": "null"])))
    // A name that was rebound to this machine.
    #expect(
      !rule.allows(HTTPRequest(headers: ["host": "evil.example", "origin": "http://evil.example"])))
  }
}
