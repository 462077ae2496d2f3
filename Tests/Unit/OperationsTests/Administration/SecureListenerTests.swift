import Foundation
import LinuxSystem
import Synchronization
import TestCredentials
import TestNetwork
import Testing
import TestTime

@testable import Operations

/// The listener with TLS, through real sockets.
@Suite(.timeLimit(.minutes(1)))
struct SecureListenerTests {
  private static let large = [UInt8](repeating: UInt8(ascii: "x"), count: 3_000_000)

  private let certificates: Certificates
  private let failures = Failures()

  init() async throws { certificates = try await Certificates() }

  private func identity(_ name: String) throws -> TLSIdentity {
    try TLSIdentity(
      certificateChain: certificates.bytes("\(name).pem"), key: certificates.bytes("\(name).key"))
  }

  private func security(_ name: String = "server") throws -> HTTPSecurity {
    HTTPSecurity(try identity(name)) { [failures] in failures.add($0) }
  }

  private func listener(_ security: HTTPSecurity) throws -> HTTPListener {
    try HTTPListener("127.0.0.1:0", security: security) { request in
      switch request.path {
      case "/large": .complete(HTTPResponse(Self.large, contentType: "text/plain"))
      case "/parts":
        .made(on: globalConcurrentExecutor) { exchange in
          try? await exchange.begin(HTTPResponse("begun ", contentType: "text/plain"))
          for number in 1...300 { try? await exchange.write("part \(number) ".utf8) }
        }
      default:
        .complete(
          HTTPResponse("\(request.isEncrypted) \(String(decoding: request.body, as: UTF8.self))"))
      }
    }
  }

  private func client(
    _ listener: HTTPListener, as host: String = "127.0.0.1", receiveBuffer: Int32? = nil
  ) throws -> SecureClient {
    try SecureClient(
      RawHTTPClient(listener.address, receiveBuffer: receiveBuffer), host,
      try TLSAuthorities(file: certificates.path("ca.pem")))
  }

  @Test func requestsAreAnswered() throws {
    let listener = try listener(try security())
    let request = "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 20000\r\n\r\n"
    let body = String(repeating: "b", count: 20_000)
    let client = try client(listener)
    try client.send(request + body)
    let answer = try client.rest()
    #expect(answer.text.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.text.hasSuffix("true \(body)"))
    #expect(answer.isEndedInOrder)
    #expect(failures.all.isEmpty)
  }

  @Test func aRequestThatComesByteByByteIsAnswered() throws {
    let listener = try listener(try security())
    let client = try client(listener)
    try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n", inPiecesOf: 1)
    #expect(try client.rest().text.hasSuffix("true "))
  }

  @Test(arguments: [nil, 4096] as [Int32?])
  func aLargeAnswerReachesASlowClient(receiveBuffer: Int32?) throws {
    let listener = try listener(try security())
    let client = try client(listener, receiveBuffer: receiveBuffer)
    try client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
    let answer = try client.rest()
    #expect(answer.isEndedInOrder)
    #expect(answer.text.utf8.suffix(Self.large.count).elementsEqual(Self.large))
  }

  @Test func anAnswerInPartsIsWhole() throws {
    let listener = try listener(try security())
    let client = try client(listener)
    try client.send("GET /parts HTTP/1.1\r\nHost: a\r\n\r\n")
    let answer = try client.rest()
    #expect(answer.text.contains("begun part 1 ") && answer.text.hasSuffix("part 299 part 300 "))
    #expect(answer.isEndedInOrder)
  }

  @Test func aClientWithoutTLSIsToldSo() async throws {
    let listener = try listener(try security())
    let answer = try Client.exchange(listener, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 400 ") && answer.contains("use https://"))
    try await failures.wait { $0.contains(.refused("TLS: http request")) }
  }

  @Test func aClientWithoutTLSWhoseRequestComesInPiecesIsToldSo() async throws {
    let listener = try listener(try security())
    let client = try RawHTTPClient(listener.address)
    client.wait(atMost: 20)
    client.send(Array("GET".utf8))
    // The listener answers others meanwhile, so it has read the first piece.
    let other = try self.client(listener)
    try other.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    _ = try other.rest()
    client.send(Array(" / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
    #expect(client.rest().contains("use https://"))
    try await failures.wait { $0.contains(.refused("TLS: http request")) }
  }

  @Test func aListenerThatStopsCountsNoHandshakeAsLate() throws {
    let listener = try listener(try security())
    let silent = try RawHTTPClient(listener.address)
    silent.wait(atMost: 20)
    let other = try client(listener)
    try other.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    _ = try other.rest()
    listener.stop()
    #expect(silent.rest() == "")
    #expect(failures.all.isEmpty)
  }

  @Test func aConnectionWhoseEncryptionFailsAtItsEndIsOver() throws {
    // Its handshake has not begun, so that it cannot encrypt.
    let connection = WebSocketConnection(
      descriptor: -1, rest: [], tls: try TLSStream.accepting(identity("server")),
      limits: .init(messageBytes: 1000), patience: .init()
    ) { _ in }
    connection.perform(.close(WebSocketClosing(1000)), now: .now)
    #expect(connection.isOver)
    #expect(connection.problem?.hasPrefix("TLS: ") == true)
  }

  @Test func aClientThatClosesBeforeTheHandshakeIsCounted() async throws {
    let listener = try listener(try security())
    _ = try RawHTTPClient(listener.address)
    try await failures.wait { $0.contains(.closed) }
  }

  /// More silent connections than there is room for.
  @Test func halfOpenHandshakesKeepNobodyOut() async throws {
    let listener = try listener(try security())
    let silent = try (0..<40).map { number in
      let client = try RawHTTPClient(listener.address)
      // Part of a record.
      if number % 2 == 0 { client.send([0x16, 3, 1, 2, 0, 1]) }
      return client
    }
    for _ in 0..<3 {
      let client = try client(listener)
      try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try client.rest().text.hasSuffix("true "))
    }
    try await failures.wait { $0.contains(.timeout) }
    // The others are ended too, in their own time.
    for client in silent { #expect(client.rest() == "") }
  }

  @Test func aNewCertificateIsForNewConnections() throws {
    let security = try security()
    let listener = try listener(security)
    let running = try client(listener)
    security.identity = try identity("named")
    let next = try client(listener, as: "voice.example")
    try next.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    try running.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try next.rest().text.hasSuffix("true "))
    #expect(try running.rest().text.hasSuffix("true "))
    #expect(throws: (any Error).self) { _ = try self.client(listener) }
  }

  @Test func aWebSocketGoesOnOverTLS() throws {
    let echo = try WebSocketServiceTests.Echo(security: try security())
    let client = try client(echo.listener)
    let frame = RawWebSocketClient.frame
    let large = [UInt8](repeating: 5, count: 300_000)
    // The first message comes together with the request.
    try client.send(
      Array(
        """
        GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
        Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n
        """.utf8) + frame(RawWebSocketClient.text, Array("first".utf8), true, true))
    #expect(try client.read(until: "first").hasPrefix("HTTP/1.1 101 "))
    try client.send(frame(RawWebSocketClient.binary, large, true, true))
    #expect(try client.read(bytes: large.count + 10).suffix(large.count).elementsEqual(large))
    try client.send(frame(RawWebSocketClient.close, [3, 0xE8], true, true))
    #expect(try client.rest().isEndedInOrder)
  }
}

/// The failures that a listener has reported.
private final class Failures: Sendable {
  private let list = Mutex<[HTTPHandshakeFailure]>([])

  var all: [HTTPHandshakeFailure] { list.withLock { $0 } }
  func add(_ failure: HTTPHandshakeFailure) { list.withLock { $0.append(failure) } }

  func wait(_ condition: @escaping ([HTTPHandshakeFailure]) -> Bool) async throws {
    try await eventually("reported", within: .seconds(20)) { condition(all) }
  }
}

/// A client of HTTPS, whose functions wait.
private final class SecureClient {
  struct Ended: Error {}

  private let client: RawHTTPClient
  private var tls: TLSStream
  private var received: [UInt8] = []

  init(_ client: RawHTTPClient, _ host: String, _ authorities: TLSAuthorities) throws {
    self.client = client
    client.wait(atMost: 20)
    tls = try TLSStream.connecting(to: host, authorities)
    while true {
      client.send(tls.popOutgoing())
      guard !tls.isEstablished else { break }
      guard try fill() else { throw Ended() }
    }
  }

  /// Returns false at the end of the connection.
  private func fill() throws -> Bool {
    let bytes = client.receive()
    guard !bytes.isEmpty else { return false }
    received += try bytes.withUnsafeBytes { bytes throws(TLSError) in try tls.receive(bytes) }
    return true
  }

  func send(_ text: String, inPiecesOf size: Int = .max) throws {
    try send(Array(text.utf8), inPiecesOf: size)
  }

  func send(_ bytes: [UInt8], inPiecesOf size: Int = .max) throws {
    try tls.send(bytes)
    let encrypted = tls.popOutgoing()
    var rest = encrypted[...]
    while !rest.isEmpty {
      client.send(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
  }

  func rest() throws -> (text: String, isEndedInOrder: Bool) {
    while try fill() {}
    return (String(decoding: received, as: UTF8.self), tls.isClosed)
  }

  func read(until end: String) throws -> String {
    while !String(decoding: received, as: UTF8.self).hasSuffix(end) {
      guard try fill() else { throw Ended() }
    }
    defer { received = [] }
    return String(decoding: received, as: UTF8.self)
  }

  func read(bytes count: Int) throws -> [UInt8] {
    while received.count < count { guard try fill() else { throw Ended() } }
    return received
  }
}
