import Foundation
import GRPCTransport
import TestCredentials
import Testing

/// Debian's python3-grpcio, and clients without TLS, with this server and TLS.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct TLSServerTests {
  private let certificates: Certificates

  init() async throws { certificates = try await Certificates() }

  private func client(of server: TestServer, _ body: String) throws -> PythonClient {
    try PythonClient(
      address: server.address,
      """
      \(certificates.reader)
      def attempt(authority, name=None):
        credentials = grpc.ssl_channel_credentials(
          read(authority + ".pem"), *([read(name + ".key"), read(name + ".pem")] if name else []))
        attempt_on(grpc.secure_channel(sys.argv[1], credentials))
      def attempt_on(channel):
        try:
          say(list(channel.stream_stream(METHOD)(iter([b"x"]), timeout=20)))
        except grpc.RpcError as error:
          say(error.code().name, error.details())
      \(body)
      """)
  }

  /// Waits for the end of the client. Returns the lines before it.
  private func lines(of client: PythonClient) async throws -> [String] {
    try await client.wait(for: "exit 0")
    return client.journal.entries.compactMap {
      if case .note(let text) = $0.event { text } else { nil }
    }
  }

  @Test(arguments: ["server", "chained"])
  func theServerShowsItsCertificate(name: String) async throws {
    try await withServer(options: certificates.serverOptions(name)) { server in
      let client = try client(of: server, "attempt('ca'); attempt('other-ca'); attempt_on(channel)")
      let lines = try await lines(of: client)
      try #require(lines.count == 4, "\(lines)")
      #expect(lines[0] == "[b'x']")
      #expect(lines[1].contains("UNAVAILABLE") && lines[1].contains("certificate verify failed"))
      #expect(lines[2].contains("UNAVAILABLE"))
    }
  }

  @Test func clientsHaveToShowTheirs() async throws {
    let options = try certificates.serverOptions("server", clientAuthority: "ca")
    try await withServer(options: options) { server in
      let client = try client(
        of: server, "attempt('ca', 'client'); attempt('ca'); attempt('ca', 'stranger')")
      let lines = try await lines(of: client)
      try #require(lines.count == 4, "\(lines)")
      #expect(lines[0] == "[b'x']")
      #expect(lines[1].hasPrefix("UNAVAILABLE") && lines[2].hasPrefix("UNAVAILABLE"), "\(lines)")
      #expect(server.journal.count(of: .started) == 1)
    }
  }

  @Test func aUnixSocketBesideStaysPlaintext() async throws {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("anechoic-\(UUID().uuidString.prefix(8)).sock").path
    var options = try certificates.serverOptions("server", clientAuthority: "ca")
    options.addresses.append("unix:\(path)")
    try await withServer(options: options) { server in
      // The client's TLS settings do not apply to unix sockets.
      for security in [.plaintext, try certificates.channelSecurity(serverName: "x")] {
        let channel = Channel(target: "unix:\(path)", security: security)
        try await #expect(channel.call(.test).exchange([1]) == [1])
      }
    }
  }

  @Test func invalidHandshakesHarmNobody() async throws {
    try await withServer(options: certificates.serverOptions("server")) { server in
      let client = try client(
        of: server,
        """
        import os, socket
        host, port = sys.argv[1].split(":")
        def connect():
          return socket.create_connection((host, int(port)))
        silent = [connect() for _ in range(20)]
        hello = bytes.fromhex("16030100c8010000c40303")
        for garbage in [b"", b"x", os.urandom(5000), hello, b"GET / HTTP/1.1\\r\\n\\r\\n",
            b"\\x16\\x03\\x01\\xff\\xff" + b"\\0" * 70000]:
          peer = connect()
          try:
            peer.sendall(garbage)
          except OSError:
            pass
          peer.close()
        attempt("ca")
        """)
      #expect(try await lines(of: client).first == "[b'x']")
    }
  }
}
