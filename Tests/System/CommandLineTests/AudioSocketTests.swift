import Foundation
import TestCredentials
import Testing

/// Telephone calls through `anechoic-bridge`, with both ends played by a script.
@Suite(
  .serialized, .timeLimit(.minutes(2)),
  .enabled(if: Python.isThere, "scripts/bootstrap installs it"))
struct AudioSocketTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  @Test(arguments: ["echo", "faults", "formats", "hangup", "lines", "rates", "strangers"])
  func aCallPasses(check: String) async throws {
    let server = try await ServerProcess(in: folder)
    let port = try Self.freePort()
    let bridge = try Command(
      "anechoic-bridge",
      [
        "audiosocket", "--listen", "127.0.0.1:0", "--application", "127.0.0.1:\(port)", "--server",
        server.address,
      ] + (check == "lines" ? ["--keep-echo-path"] : []), in: folder)
    let line = try await bridge.line(containing: "listening on ")
    let own = line.split(separator: ":").last.map { String($0) } ?? ""
    let script = Folder.package.appendingPathComponent("Tests/System/Telephony/telephone.py").path
    let result = try await Command.run(
      Python.path, [script, own, "\(port)", check], in: folder)
    #expect(result.status == 0, "\(result.text) \(result.errors)")
    if check == "formats" { try await bridge.line(containing: "late") }
    bridge.signal(SIGTERM)
    #expect(try await bridge.wait().status == 0)
  }

  @Test func aCallPassesOverTLS() async throws {
    let certificates = try await Certificates()
    let server = try await ServerProcess(in: folder)
    let port = try Self.freePort()
    let bridge = try Command(
      "anechoic-bridge",
      [
        "audiosocket", "--listen", "127.0.0.1:0", "--application", "127.0.0.1:\(port)", "--server",
        server.address, "--listen-certificate", certificates.path("server.pem"), "--listen-key",
        certificates.path("server.key"),
      ], in: folder)
    // The certificates of the test are valid for at most two days.
    try await bridge.line(containing: "server.pem: the certificate expires in ")
    let line = try await bridge.line(containing: "listening on ")
    let own = line.split(separator: ":").last.map { String($0) } ?? ""
    let script = Folder.package.appendingPathComponent("Tests/System/Telephony/telephone.py").path
    let authority = ["--ca", certificates.path("ca.pem")]
    let call = try await Command.run(
      Python.path, [script] + authority + [own, "\(port)", "faults", "rates"], in: folder)
    #expect(call.status == 0, "\(call.text) \(call.errors)")
    // Those who speak no TLS are disconnected, and calls go on beside silent connections.
    let strangers = try await Command.run(
      Python.path, [script] + authority + [own, "\(port)", "strangers"], in: folder)
    #expect(strangers.status == 0, "\(strangers.text) \(strangers.errors)")
    try await bridge.line(containing: "TLS handshake failed: TLS: http request")
    try await bridge.line(containing: "TLS handshake failed: the handshake timed out")
    bridge.signal(SIGHUP)
    try await bridge.line(containing: "certificate reloaded")
    bridge.signal(SIGTERM)
    #expect(try await bridge.wait().status == 0)
  }

  @Test func aCallGoesOnWithoutAServer() async throws {
    let port = try Self.freePort()
    let bridge = try Command(
      "anechoic-bridge",
      [
        "audiosocket", "--listen", "127.0.0.1:0", "--application", "127.0.0.1:\(port)", "--server",
        "127.0.0.1:1", "--http-listen", "127.0.0.1:0",
      ], in: folder)
    let operators = try await bridge.line(containing: "operators: ")
    let line = try await bridge.line(containing: "listening on ")
    let own = line.split(separator: ":").last.map { String($0) } ?? ""
    // There is no certificate to read again.
    bridge.signal(SIGHUP)
    let script = Folder.package.appendingPathComponent("Tests/System/Telephony/telephone.py").path
    let result = try await Command.run(
      Python.path, [script, own, "\(port)", "faults"], in: folder)
    #expect(result.status == 0, "\(result.text) \(result.errors)")
    try await bridge.line(containing: "not processed: UNAVAILABLE")
    let page = "\(operators.split(separator: " ").last ?? "")/metrics"
    let metrics = try await Command.run("/usr/bin/curl", ["--silent", page], in: folder).text
    #expect(metrics.contains("anechoic_bridge_calls_started_total 1\n"), "\(metrics)")
    #expect(metrics.contains("anechoic_bridge_voices_unprocessed 0.0\n"), "\(metrics)")
    bridge.signal(SIGTERM)
    let end = try await bridge.wait()
    #expect(end.errorLines.count { $0.contains("not processed") } == 1)
  }

  @Test(arguments: [
    ["audiosocket"], ["audiosocket", "--application", "nowhere"],
    ["audiosocket", "--application", "127.0.0.1:9", "--listen", "unix:/tmp/x"],
    ["audiosocket", "--application", "127.0.0.1:9", "--delay", "2s"],
    ["audiosocket", "--application", "127.0.0.1:9", "--audio-type", "0x11=x"],
    ["audiosocket", "--application", "127.0.0.1:9", "--mic-mode", "loud"],
  ])
  func wrongUsageIsReported(arguments: [String]) async throws {
    let result = try await Command.run("anechoic-bridge", arguments, in: folder)
    #expect(result.status == 64, "\(result.errors)")
  }

  /// Returns a port that was free a moment ago.
  private static func freePort() throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    try withUnsafeMutablePointer(to: &address) { pointer in
      try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        try #require(bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0)
      }
    }
    return UInt16(bigEndian: address.sin_port)
  }
}
