import LinuxSystem
import TestCredentials
import Testing

/// Both sides of TLS connections, whose bytes the tests carry.
@Suite(.timeLimit(.minutes(1)))
struct TLSStreamTests {
  private let certificates: Certificates

  init() async throws { certificates = try await Certificates() }

  private func identity(_ name: String, key: String? = nil) throws -> TLSIdentity {
    try TLSIdentity(
      certificateChain: certificates.bytes("\(name).pem"),
      key: certificates.bytes("\(key ?? name).key"))
  }

  private func authorities(_ name: String = "ca") throws -> TLSAuthorities {
    try TLSAuthorities(file: certificates.path("\(name).pem"))
  }

  /// Returns both sides after their handshake.
  private func pair(_ name: String = "server", host: String = "127.0.0.1") throws -> Pair {
    var pair = Pair(
      client: try TLSStream.connecting(to: host, try authorities()),
      server: try TLSStream.accepting(try identity(name)))
    try pair.shakeHands()
    return pair
  }

  @Test func bytesThatComeOneByOneAreWhole() throws {
    var pair = try pair()
    let text = Array("a request in pieces".utf8)
    try pair.client.send(text)
    var received: [UInt8] = []
    for byte in pair.client.popOutgoing() { received += try pair.server.receive([byte]) }
    #expect(received == text)
  }

  @Test func aLargeAnswerIsWhole() throws {
    var pair = try pair()
    let large = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try pair.server.send(large)
    #expect(try pair.client.receive(pair.server.popOutgoing()) == large)
  }

  @Test func theChainLeadsToItsAuthority() throws {
    var pair = try pair("chained")
    try pair.server.send([1])
    #expect(try pair.client.receive(pair.server.popOutgoing()) == [1])
  }

  @Test func anEndInOrderIsToldFromATruncation() throws {
    var pair = try pair()
    try pair.client.send([7])
    pair.client.close()
    let bytes = pair.client.popOutgoing()
    #expect(try pair.server.receive(bytes) == [7])
    let isClosed = pair.server.isClosed
    #expect(isClosed)

    var other = try self.pair()
    try other.client.send([7])
    let record = other.client.popOutgoing()
    #expect(try other.server.receive(Array(record.dropLast())) == [])
    let isCut = !other.server.isClosed
    #expect(isCut)
  }

  @Test(arguments: [
    "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "\u{16}\u{3}\u{1}\u{7f}\u{7f}garbage",
    "SSH-2.0-client\r\n",
    "\u{16}\u{2}\u{0}\u{0}\u{5}hello",
  ])
  func bytesThatAreNoHandshakeAreRefused(bytes: String) throws {
    var server = try TLSStream.accepting(try identity("server"))
    // A record of a length that TLS does not allow may wait for its end, and keeps 16 KiB at most.
    let garbage = Array(bytes.utf8) + [UInt8](repeating: 0, count: 40_000)
    #expect(throws: TLSError.self) { try server.receive(garbage) }
  }

  @Test(
    arguments: [
      [0x17, 3, 3, 0xFF, 0xFF], [0x17, 3, 3, 0, 32] + [UInt8](repeating: 9, count: 32),
      [0x16, 3, 3, 0, 4, 0, 0, 0, 0], [0, 0, 0, 0, 0],
    ] as [[UInt8]])
  func recordsThatAreNoneOfTheOtherSideAreRefused(record: [UInt8]) throws {
    var pair = try pair()
    #expect(throws: TLSError.self) {
      try pair.server.receive(record + [UInt8](repeating: 0, count: 70_000))
    }
  }

  @Test func aCertificateForAnotherHostIsRefused() throws {
    #expect(throws: TLSError.self) { _ = try self.pair("named") }
    _ = try pair("named", host: "voice.example")
    #expect(throws: TLSError.self) { _ = try self.pair("expired") }
  }

  @Test func filesThatAreNoIdentityAreRefused() throws {
    #expect(throws: TLSError.self) { try identity("server", key: "client") }
    #expect(throws: TLSError.self) { try identity("client", key: "client-encrypted") }
    let (chain, key) = (
      try certificates.bytes("chained.pem"), try certificates.bytes("chained.key")
    )
    _ = try TLSIdentity(certificateChain: chain, key: key)
    let parts = String(decoding: chain, as: UTF8.self).split(
      separator: "-----END CERTIFICATE-----\n")
    let reversed = parts.reversed().map { $0 + "-----END CERTIFICATE-----\n" }.joined()
    for bad in [[], Array("garbage".utf8), Array(reversed.utf8), chain.dropLast(100)] {
      #expect(throws: TLSError.self) { try TLSIdentity(certificateChain: Array(bad), key: key) }
    }
    #expect(throws: TLSError.self) { try TLSIdentity(certificateChain: chain, key: chain) }
  }
}

/// A client and a server.
private struct Pair: ~Copyable {
  var client: TLSStream
  var server: TLSStream

  mutating func shakeHands() throws {
    while !client.isEstablished || !server.isEstablished {
      let (toServer, toClient) = (client.popOutgoing(), server.popOutgoing())
      guard toServer.count + toClient.count > 0 else { throw Stuck() }
      _ = try server.receive(toServer)
      _ = try client.receive(toClient)
    }
    _ = try client.receive(server.popOutgoing())
  }

  private struct Stuck: Error {}
}

extension TLSStream {
  fileprivate mutating func receive(_ bytes: [UInt8]) throws -> [UInt8] {
    try bytes.withUnsafeBytes { try receive($0) }
  }
}
