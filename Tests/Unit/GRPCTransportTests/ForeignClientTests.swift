import Foundation
import GRPCTransport
import Testing
import TestTime

/// Debian's python3-grpcio as a client of this server.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ForeignClientTests {
  @Test func aForeignClientIsEchoed() async throws {
    var script = ScriptedHandler.Script.echo
    script.started = { handler in
      handler.call.addInitialMetadata("asked-by", handler.call.metadata["who"] ?? "")
      handler.call.read()
    }
    script.halfClosed = { handler in
      var trailers = Metadata()
      trailers.append("blob-bin", bytes: handler.call.metadata.bytes(of: "ask-bin") ?? [])
      handler.call.finish(.ok, trailers: trailers)
    }
    try await withServer(script) { server in
      let client = try PythonClient(
        address: server.address,
        """
        requests = [b"one", b"", b"three" * 200000]
        call = channel.stream_stream(METHOD)(
          iter(requests), metadata=[("who", "python"), ("ask-bin", bytes(range(256)))])
        say("equal", list(call) == requests)
        say("headers", dict(call.initial_metadata())["asked-by"])
        say("trailers", dict(call.trailing_metadata())["blob-bin"] == bytes(range(256)))
        say(call.code())
        """)
      try await client.wait(for: "exit 0")
      for line in ["equal True", "headers python", "trailers True", "StatusCode.OK"] {
        try await client.wait(for: line)
      }
    }
  }

  @Test func aForeignClientSeesStatusDetailsAndDeadlines() async throws {
    let failing = ServerMethod.unary(.test) { _, _ in
      throw Status(.invalidArgument, "grüße", details: [0, 255])
    }
    let endless = ServerMethod.unary(.other) { _, _ in
      try await untilCancelled()
      return []
    }
    try await withServer([failing, endless]) { server in
      let client = try PythonClient(
        address: server.address,
        """
        def fail(method, **options):
          try:
            channel.unary_unary(method)(b"x", **options)
          except grpc.RpcError as error:
            return error
        error = fail(METHOD)
        say(error.code(), error.details())
        say(dict(error.trailing_metadata())["grpc-status-details-bin"] == bytes([0, 255]))
        say(fail("/anechoic.test.Service/Other", timeout=0.3).code())
        say(fail("/anechoic.test.Service/Missing").code())
        """)
      try await client.wait(for: "exit 0")
      for line in [
        "StatusCode.INVALID_ARGUMENT grüße", "True", "StatusCode.DEADLINE_EXCEEDED",
        "StatusCode.UNIMPLEMENTED",
      ] {
        try await client.wait(for: line)
      }
    }
  }

  @Test func aForeignClientStreamsItsRequests() async throws {
    let method = ServerMethod.clientStreaming(.test) { requests, _ in
      var all: [UInt8] = []
      while let message = try await requests.next() { all += message }
      guard !all.isEmpty else { throw Status(.invalidArgument, "nothing") }
      return all
    }
    try await withServer([method]) { server in
      let client = try PythonClient(
        address: server.address,
        """
        call = channel.stream_unary(METHOD)
        say("joined", call(iter([b"one", b"", b"two" * 100000])) == b"one" + b"two" * 100000)
        try:
          call(iter([]))
        except grpc.RpcError as error:
          say(error.code(), error.details())
        """)
      try await client.wait(for: "exit 0")
      for line in ["joined True", "StatusCode.INVALID_ARGUMENT nothing"] {
        try await client.wait(for: line)
      }
    }
  }

  @Test func compressedMessagesAreRefused() async throws {
    try await withServer { server in
      let client = try PythonClient(
        address: server.address,
        """
        call = channel.stream_stream(METHOD)(
          iter([b"a" * 100000]), compression=grpc.Compression.Gzip)
        try:
          list(call)
        except grpc.RpcError as error:
          say(error.code())
        """)
      try await client.wait(for: "StatusCode.UNIMPLEMENTED")
    }
  }

  @Test(arguments: ["127.0.0.1:0", "unix:/tmp/anechoic-foreign-\(getpid()).sock"])
  func aKilledClientIsNoticedAtOnce(address: String) async throws {
    let options = Server.Options(addresses: [address], queueCount: 2)
    try await withServer(options: options) { server in
      let client = try PythonClient(address: server.address, Self.tenHeldCalls)
      try await client.wait(for: "ready")
      let killed = ContinuousClock.now
      client.send(SIGKILL)
      try await server.journal.wait(for: .cancelled, times: 10)
      print("a killed client is heard of after \(ContinuousClock.now - killed)")
      #expect(ContinuousClock.now - killed < .seconds(10))
      try await server.journal.wait(for: .released, times: 10)
      #expect(server.journal.count(of: .halfClosed) == 0)
      try await client.wait(for: "signal 9")
      try await #expect(server.call().exchange([1]) == [1])
    }
  }

  @Test func aFrozenClientIsCutOffByTheKeepalive() async throws {
    var options = Server.Options.loopback
    options.connection.keepaliveTime = .seconds(1)
    // Long enough for a client that starts slowly.
    options.connection.keepaliveTimeout = .seconds(4)
    try await withServer(options: options) { server in
      let client = try PythonClient(address: server.address, Self.tenHeldCalls)
      try await client.wait(for: "ready")
      client.send(SIGSTOP)
      try await server.journal.wait(for: .released, times: 10)
      #expect(server.journal.count(of: .cancelled) == 10)
      #expect(server.journal.count(of: .halfClosed) == 0)
      client.send(SIGKILL)
    }
  }

  private static let tenHeldCalls = """
    import signal
    def hold():
      yield b"x"
      signal.pause()
    calls = [channel.stream_stream(METHOD)(hold()) for _ in range(10)]
    for call in calls:
      next(call)
    say("ready")
    signal.pause()
    """
}
