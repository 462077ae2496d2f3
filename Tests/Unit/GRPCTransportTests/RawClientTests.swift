import Foundation
import GRPCTransport
import Testing

/// Clients that write HTTP/2 frames themselves and send what no library sends.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct RawClientTests {
  /// Opens a connection. `frame(type, flags, stream, payload)` sends a frame. `headers(extra)`
  /// starts the call, and `reset(stream)` starts another one and cancels it. `message(count,
  /// length)` sends `count` bytes of a message that claims `length` bytes. `ping()` waits until the
  /// server has read everything, and `hold()` keeps the connection open.
  private static let prelude = """
    import signal, socket, struct
    host, port = sys.argv[1].rsplit(":", 1)
    peer = socket.create_connection((host.strip("[]"), int(port)))
    def frame(type, flags, stream, payload):
      peer.sendall(struct.pack(">I", len(payload))[1:] + bytes([type, flags])
        + struct.pack(">I", stream) + payload)
    def headers(extra=[], flags=4, stream=1):
      fields = [(":method", "POST"), (":scheme", "http"), (":path", METHOD),
        (":authority", "x"), ("content-type", "application/grpc"), ("te", "trailers")] + extra
      block = b"".join(b"\\0" + bytes([len(name)]) + name.encode() + bytes([len(value)])
        + value.encode() for name, value in fields)
      frame(1, flags, stream, block)
    def reset(stream):
      headers(stream=stream)
      frame(3, 0, stream, struct.pack(">I", 8))
    def message(count, length, flags=0):
      frame(0, flags, 1, b"\\0" + struct.pack(">I", length) + b"x" * count)
    def hold():
      signal.pause()
    def ping():
      frame(6, 0, 0, b"anechoic")
      heard = b""
      while b"\\6\\1\\0\\0\\0\\0anechoic" not in heard:
        heard += peer.recv(4096) or exit("the server has closed the connection")
    peer.sendall(b"PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n")
    frame(4, 0, 0, b"")

    """

  private func client(of server: TestServer, _ body: String) throws -> PythonClient {
    try PythonClient(address: server.address, Self.prelude + body)
  }

  @Test func aHandMadeCallIsServed() async throws {
    try await withServer { server in
      let client = try client(of: server, "headers(); message(3, 3, flags=1); hold()")
      try await server.journal.wait(for: .released)
      #expect(
        server.journal.events() == [
          .started, .received([UInt8]("xxx")), .writeCompleted, .halfClosed, .ended, .released,
        ])
      client.send(SIGKILL)
    }
  }

  @Test(arguments: ["99999999H", "99999999S", "1H", "nonsense", "-5S", "1n"])
  func anyTimeoutIsSurvived(timeout: String) async throws {
    let script = ScriptedHandler.Script(started: { handler in
      let left = handler.call.timeLeft ?? .seconds(1)
      if timeout != "1n" && left < .zero { handler.note("negative: \(left)") }
      handler.call.finish(.ok)
    })
    try await withServer(script) { server in
      let client = try client(
        of: server, "headers([('grpc-timeout', '\(timeout)')]); ping(); say('sent')")
      try await client.wait(for: "sent")
      for entry in server.journal.entries {
        if case .note(let text) = entry.event { Issue.record("\(timeout): \(text)") }
      }
      try await #expect(server.call().outcome() == .ok)
    }
  }

  @Test(arguments: [
    "peer.close()",
    "peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0)); peer.close()",
    "peer.shutdown(socket.SHUT_WR); hold()",
    "frame(3, 0, 1, struct.pack('>I', 8)); hold()",
    "frame(7, 0, 0, struct.pack('>II', 1, 0)); peer.close()",
    "frame(99, 255, 1, b'?'); frame(8, 0, 1, b'???'); hold()",
  ])
  func aConnectionThatGoesWithoutAHalfCloseIsACancel(end: String) async throws {
    try await withServer(.sink) { server in
      let client = try client(
        of: server, "headers(); message(3, 3); message(2, 50); await_go(); \(end)")
      try await server.journal.wait(for: .received([UInt8]("xxx")))
      client.go()
      try await server.journal.wait(for: .released)
      #expect(server.journal.count(of: .cancelled) == 1)
      #expect(server.journal.count(of: .halfClosed) == 0)
      client.send(SIGKILL)
      try await #expect(server.channel(.fresh()).call(.test).cancelledOutcome() == .cancelled)
    }
  }

  /// libgrpc treats this as a half-close and reports nothing.
  @Test func aMessageCutShortDoesNotArrive() async throws {
    try await withServer(.sink) { server in
      let client = try client(of: server, "headers(); message(10, 50, flags=1); hold()")
      try await server.journal.wait(for: .released)
      #expect(
        !server.journal.events().contains { if case .received = $0 { true } else { false } })
      client.send(SIGKILL)
    }
  }

  @Test func garbageIsSurvived() async throws {
    try await withServer { server in
      let client = try PythonClient(
        address: server.address,
        """
        import os, socket
        host, port = sys.argv[1].split(":")
        for _ in range(50):
          peer = socket.create_connection((host, int(port)))
          try:
            peer.sendall(os.urandom(2000))
          except OSError:
            pass
          peer.close()
        """)
      try await client.wait(for: "exit 0")
      try await #expect(server.call().exchange([1]) == [1])
    }
  }

  /// CVE-2023-44487: libgrpc 1.51 would read from such a connection for ever. Where the
  /// thread that reads tells of the cancelled calls, ResetGuard closes the connection, and ReadWatch
  /// closes it where the thread does nothing but read.
  @Test(arguments: ["127.0.0.1:0", "[::1]:0", "[::]:0"])
  func aClientThatOnlyCancelsLosesItsConnection(address: String) async throws {
    try await withServer(options: Server.Options(addresses: [address])) { server in
      let reached = server.address.replacing("[::]", with: "127.0.0.1")
      let honest = Channel(target: reached, options: .fresh()).call(.test)
      try await #expect(honest.exchange([1]) == [1])
      let attack = """
        try:
          for stream in range(1, 2**31, 2):
            reset(stream)
        except OSError:
          say("closed")
        hold()
        """
      let client = try PythonClient(address: reached, Self.prelude + attack)
      try await client.wait(for: "closed")
      try await #expect(honest.exchange([2]) == [2])
      honest.halfClose()
      try await #expect(honest.outcome() == .ok)
      client.send(SIGKILL)
    }
  }

  @Test func someCancelledCallsAreNoAttack() async throws {
    try await withServer { server in
      let client = try client(
        of: server,
        """
        for stream in range(3, 163, 2): reset(stream)
        headers(stream=163)
        frame(0, 1, 163, b"\\0\\0\\0\\0\\3xxx")
        hold()
        """)
      try await server.journal.wait(for: .received([UInt8]("xxx")))
      client.send(SIGKILL)
    }
  }
}

extension ClientCall {
  /// Cancels the call. Returns the status code with which it ends.
  fileprivate func cancelledOutcome() async throws -> StatusCode {
    cancel()
    return try await outcome().code
  }
}
