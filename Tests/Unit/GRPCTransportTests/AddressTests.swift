import Foundation
import GRPCTransport
import Testing
import TestTime

@Suite(.timeLimit(.minutes(1)))
struct AddressTests {
  /// A path for a unix socket that nothing else uses.
  private static var socketPath: String {
    FileManager.default.temporaryDirectory
      .appending(path: "anechoic-\(UUID().uuidString.prefix(8)).sock").path
  }

  private static let method = ServerMethod.unary(.test) { request, _ in request }

  private func failure(_ addresses: [String]) async -> ServerError? {
    do {
      let server = try Server(options: .init(addresses: addresses), methods: [Self.method])
      await server.shutdown(grace: .zero)
      return nil
    } catch {
      return error
    }
  }

  private func answers(at address: String) async throws -> Bool {
    let channel = Channel(target: address)
    return try await within { try await channel.unary(.test, [1]) } == [1]
  }

  @Test func portZeroIsReplacedByTheChosenPort() async throws {
    try await withServer { first in
      try await withServer { second in
        let ports = [first, second].compactMap { Int($0.address.split(separator: ":")[1]) }
        #expect(ports.count == 2 && ports[0] > 1023 && ports[1] > 1023 && ports[0] != ports[1])
        #expect(first.address.hasPrefix("127.0.0.1:"))
      }
    }
  }

  @Test func aUnixSocketServesAndIsRemovedAfterwards() async throws {
    let path = Self.socketPath
    let script = ScriptedHandler.Script(started: { handler in
      handler.note(String(handler.call.peer.prefix(5)))
      handler.call.finish(.ok)
    })
    try await withServer(script, options: .init(addresses: ["unix:\(path)"])) { server in
      #expect(server.address == "unix:\(path)")
      try await #expect(server.call().outcome() == .ok)
      #expect(server.journal.count(of: .note("unix:")) == 1)
    }
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func aStaleUnixSocketIsReplaced() async throws {
    let path = Self.socketPath
    #expect(FileManager.default.createFile(atPath: path, contents: nil) == true)
    try FileManager.default.removeItem(atPath: path)
    let descriptor = try boundUnixSocket(path)
    close(descriptor)
    #expect(FileManager.default.fileExists(atPath: path))
    try await withServer([Self.method], options: .init(addresses: ["unix:\(path)"])) { server in
      try await #expect(answers(at: server.address))
    }
  }

  @Test func aServerListensOnAllItsAddresses() async throws {
    let addresses = ["127.0.0.1:0", "unix:\(Self.socketPath)", "127.0.0.1:0", "127.0.0.2:0"]
    try await withServer([Self.method], options: .init(addresses: addresses)) { server in
      #expect(Set(server.server.addresses).count == 4)
      for address in server.server.addresses {
        try await #expect(answers(at: address), "\(address)")
      }
    }
  }

  @Test func anAddressInUseIsNamed() async throws {
    let taken = try await withServer { first in
      await #expect(failure([first.address]) == .addressUnavailable(first.address))
      await #expect(failure(["127.0.0.1:0", first.address]) == .addressUnavailable(first.address))
      try await #expect(first.call().exchange([1]) == [1])
      return first.address
    }
    await #expect(failure([taken]) == nil, "it is free again")
  }

  @Test func aUnixSocketInUseIsNamed() async throws {
    let address = "unix:\(Self.socketPath)"
    try await withServer(options: .init(addresses: [address])) { first in
      await #expect(failure([address]) == .addressUnavailable(address))
      try await #expect(first.channel(.fresh()).call(.test).exchange([1]) == [1])
    }
    await #expect(failure([address]) == nil, "it is free again")
  }

  @Test func aServerThatDidNotStartHoldsNoAddress() async throws {
    let free = try await withServer { $0.address }
    try await withServer { taken in
      await #expect(failure([free, taken.address]) == .addressUnavailable(taken.address))
      await #expect(failure([free]) == nil)
    }
  }

  @Test(arguments: [
    "", "nonsense", "127.0.0.1", "127.0.0.1:port", "127.0.0.1:70000", "127.0.0.1:-1", "::1",
    "256.0.0.1:0", "192.0.2.1:0", "no-such-host.invalid:0", "unix:/no/such/directory/socket",
    "unix:/tmp/" + String(repeating: "x", count: 120), "ftp:127.0.0.1:0",
  ])
  func anImpossibleAddressIsNamed(address: String) async throws {
    await #expect(failure([address]) == .addressUnavailable(address))
    await #expect(failure(["127.0.0.1:0", address]) == .addressUnavailable(address))
  }

  @Test func anUnavailableAddressIsNamed() {
    #expect(
      "\(ServerError.addressUnavailable("here:http"))".hasPrefix("cannot listen on here:http: "))
    #expect("\(ServerError.notStarted)" == "libgrpc could not start the server")
  }

  @Test func aUnixSocketWhoseNameEndsLikePortZeroKeepsIt() async throws {
    let address = "unix:\(Self.socketPath):0"
    try await withServer([Self.method], options: .init(addresses: [address])) { server in
      #expect(server.address == address)
      try await #expect(answers(at: address))
    }
  }

  @Test func aMethodGivenTwiceIsNotTheAddressesFault() async throws {
    #expect(throws: ServerError.notStarted) {
      _ = try Server(options: .loopback, methods: [Self.method, Self.method])
    }
  }
}

/// Returns a socket that is bound to `path`, like one that a crashed server leaves behind.
private func boundUnixSocket(_ path: String) throws -> Int32 {
  let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
  let result = withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
  try #require(result == 0)
  return descriptor
}

struct PeerAddressTests {
  @Test(arguments: [
    ("ipv4:127.0.0.1:40112", "ipv4:127.0.0.1"), ("ipv6:[::1]:40112", "ipv6:[::1]"),
    ("unix:", "unix:"), ("unix:/run/a.sock", "unix:/run/a.sock"), ("", ""),
  ])
  func theHostIsTheAddressWithoutItsPort(peer: String, host: String) {
    #expect(PeerAddress.host(of: peer) == host)
  }
}

struct ServerAddressTests {
  @Test(arguments: [
    ("127.0.0.1:0", ServerAddress.host("127.0.0.1", port: 0)),
    ("voice.example:65535", .host("voice.example", port: 65535)),
    ("[::1]:50051", .host("[::1]", port: 50051)),
    ("unix:/run/a.sock", .unix(path: "/run/a.sock")),
    ("unix:a:0", .unix(path: "a:0")),
    (
      "unix:" + String(repeating: "a", count: 107), .unix(path: String(repeating: "a", count: 107))
    ),
  ])
  func anAddressIsUnderstood(text: String, address: ServerAddress) {
    #expect(ServerAddress(text) == address)
  }

  @Test(arguments: [
    "", ":", "a", "a:", ":1", "a:b", "a:65536", "a:99999", "a:-1", "a:+1", "a:1 ", " a:1", "a b:1",
    "::1", "::1:1", "[]:1", "[::1]", "[::1:1", "a]:1", "ftp:a:1", "tür:1", "a\0:1", "unix:",
    "unix:a\0b", "unix:" + String(repeating: "a", count: 108),
    "unix:" + String(repeating: "ü", count: 54),
  ])
  func anInvalidAddressIsRefused(text: String) {
    #expect(ServerAddress(text) == nil)
  }
}
