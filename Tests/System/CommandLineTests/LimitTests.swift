import Testing

/// The limits in docs/reference/limits.md, each tested by a client that exceeds it.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct LimitTests {
  @Test func aCompressedMessageIsRefusedBeforeItIsInflated() async throws {
    try await HostileClient.run(
      """
      import grpc, zlib
      for encoding, format in ("gzip", 31), ("deflate", 15):
        squeezer = zlib.compressobj(1, zlib.DEFLATED, format)
        bomb = b"".join(squeezer.compress(bytes(1 << 20)) for _ in range(150)) + squeezer.flush()
        before = peak()
        call = Connection(address).call(PROCESS, [("grpc-encoding", encoding)])
        call.send(bomb, flag=1)
        assert call.wait() and call.code == 12, (call.code, call.text)
        assert peak() < before + 50, (before, peak())
      channel = grpc.insecure_channel(address, compression=grpc.Compression.Gzip)
      list = channel.unary_unary("/anechoic.v1.SessionService/ListSessions")
      try:
        list(b"x" * 100_000, timeout=10)
        assert False
      except grpc.RpcError as error:
        assert error.code() == grpc.StatusCode.UNIMPLEMENTED, error
      """)
  }

  @Test func callsWithoutAMessageTakeLittleMemoryAndNoSession() async throws {
    try await HostileClient.run(
      """
      honest = Connection(address).call(PROCESS)
      honest.send(START)
      assert honest.wait(messages=1)
      before = peak()
      calls = []
      for number in range(100):
        if number % 50 == 0:
          connection = Connection(address)
        calls.append(connection.call(PROCESS))
        calls[-1].send(bytes((1 << 20) - 100), length=1 << 20)
        honest.send(AUDIO)
        time.sleep(0.03)
      time.sleep(0.6)
      for call in calls:
        call.wait(0.01)
      ended = collections.Counter(call.code for call in calls)
      assert ended[None] <= 32 and ended[8] >= 68, ended
      assert peak() < before + 80, (before, peak())
      honest.send(AUDIO, end=True)
      assert honest.wait() and honest.code == 0, (honest.code, honest.text)
      """, server: ["--max-memory", "64MiB", "--max-message", "1MiB", "--start-deadline", "5m"])
  }

  @Test func aFirstMessageThatIsLateEndsItsCall() async throws {
    try await HostileClient.run(
      """
      connection = Connection(address)
      calls = [connection.call(path) for path in (
        PROCESS, "/anechoic.v1.SessionService/SetMute", "/anechoic.v1.SessionService/WatchSession",
        "/anechoic.v1.SessionService/InjectSpeech", "/grpc.health.v1.Health/Watch",
        "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo")]
      calls[0].send(b"x", length=1000)
      running = connection.call(PROCESS)
      running.send(START)
      for call in calls:
        assert call.wait() and call.code == 4, (call.code, call.text)
        assert "START_TIMEOUT" in call.text, call.text
      running.send(AUDIO, end=True)
      assert running.wait() and running.code == 0, (running.code, running.text)
      """, server: ["--start-deadline", "1s"])
  }

  @Test func aSessionWithoutAudioEndsAndLeavesItsPlace() async throws {
    try await HostileClient.run(
      """
      connection = Connection(address)
      for _ in range(2):
        idle = connection.call(PROCESS)
        idle.send(START)
        assert idle.wait() and idle.code == 10, (idle.code, idle.text)
        assert b"IDLE" in idle.details, idle.details
        assert b"\\x08\\x04" in idle.messages[-1], idle.messages
      busy = connection.call(PROCESS)
      busy.send(START)
      for _ in range(30):
        assert busy.send(AUDIO)
        connection.pump()
        time.sleep(0.1)
      assert busy.code is None, (busy.code, busy.text)
      """, server: ["--idle-limit", "1s", "--max-sessions", "1"])
  }

  @Test func theLongestSessionEnds() async throws {
    try await HostileClient.run(
      """
      call = Connection(address).call(PROCESS)
      call.send(START)
      while not call.wait(0.01):
        call.send(AUDIO)
      assert call.code == 10 and b"MAX_DURATION" in call.details, (call.code, call.text)
      assert b"\\x08\\x05" in call.messages[-1], call.messages
      """, server: ["--longest-session", "1s"])
  }

  @Test func theSessionsOfAHostAreBounded() async throws {
    try await HostileClient.run(
      """
      def start(source, name):
        call = Connection(address, source=source).call(PROCESS, [("anechoic-client", name)])
        call.send(START)
        call.wait(messages=1)
        return call
      calls = [start("127.0.0.1", "a"), start("127.0.0.1", "b")]
      assert all(call.code is None for call in calls), [call.text for call in calls]
      third = start("127.0.0.1", "c")
      assert third.code == 8 and b"CLIENT_FULL" in third.details, (third.code, third.text)
      assert start("127.0.0.2", "c").code is None
      """, server: ["--max-sessions-per-client", "2"])
  }

  @Test func theCallsOfAConnectionAreBoundedForDisobedientClientsToo() async throws {
    try await HostileClient.run(
      """
      connection = Connection(address, acknowledges=False)
      calls = [connection.call("/grpc.health.v1.Health/Watch") for _ in range(1000)]
      until = time.monotonic() + 20
      while sum(call.code == 8 for call in calls) < 950 and time.monotonic() < until:
        connection.pump(0.1)
      assert connection.peer_settings[MAX_CONCURRENT_STREAMS] == 50, connection.peer_settings
      ended = collections.Counter(call.code for call in calls)
      assert ended == {None: 50, 8: 950}, ended
      calls[0].cancel()
      assert not calls[-1].connection.is_closed
      """, server: ["--max-calls-per-connection", "50", "--start-deadline", "5m"])
  }

  @Test func aMessageOverItsLimitEndsItsCall() async throws {
    try await HostileClient.run(
      """
      call = Connection(address).call(PROCESS)
      call.send(bytes(70_000))
      assert call.wait() and call.code == 8, (call.code, call.text)
      """, server: ["--max-message", "64KiB"])
  }

  @Test func anOldConnectionIsClosed() async throws {
    try await HostileClient.run(
      """
      connection = Connection(address)
      call = connection.call(PROCESS)
      call.send(START)
      until = time.monotonic() + 20
      while not connection.is_closed and time.monotonic() < until:
        connection.pump(0.1)
      assert connection.goaway is not None and connection.is_closed
      """, server: ["--connection-age", "1s", "--connection-age-grace", "1s"])
  }

  @Test func theNamesAndTheWatchersOfHealthAreBounded() async throws {
    try await HostileClient.run(
      """
      def request(name):
        return b"\\x0a" + varint(len(name)) + name
      connection = Connection(address)
      for length, code in (200, 5), (201, 3), (100_000, 8):
        call = connection.call("/grpc.health.v1.Health/Check")
        call.send(request(b"x" * length), end=True)
        assert call.wait() and call.code == code, (length, call.code, call.text)
        assert len(call.text) < 300
      watches = []
      for _ in range(1001):
        watches.append(connection.call("/grpc.health.v1.Health/Watch"))
        watches[-1].send(request(b"unknown"), end=True)
      for watch in watches:
        assert watch.wait(messages=1) or watch.code == 8, (watch.code, watch.text)
      ended = [watch for watch in watches if watch.code is not None]
      assert len(ended) == 1 and b"TOO_MANY_CALLS" in ended[0].details, len(ended)
      """, server: ["--max-calls-per-connection", "2000"])
  }

  @Test func theHelpShowsTheDefaultsAsTheDocumentationDoes() async throws {
    let folder = try Folder()
    let help = try await Command.run("anechoic-server", ["--help"], in: folder).text
    let words = help.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("0, or 1s to 365d. (default: 24h)"), "\(help)")
    #expect(words.contains("0, or 1s to 30d. (default: 0)"), "\(help)")
  }

  @Test(arguments: [
    ["--max-sessions", "-1"], ["--max-sessions", "0"], ["--drain-time", "-3"],
    ["--threads", "-1"], ["--idle-limit", "-5s"], ["--start-deadline", "0"],
    ["--start-deadline", "11m"], ["--idle-limit", "10ms"],
    ["--idle-limit", "8d"], ["--longest-session", "366d"], ["--longest-session", "x"],
    ["--max-sessions-per-client", "-1"], ["--max-calls-per-connection", "0"],
    ["--max-memory", "1MiB"], ["--max-memory", "1TB"], ["--max-message", "1KiB"],
    ["--max-message", "65MiB"], ["--connection-age", "31d"], ["--connection-age-grace", "0s"],
  ])
  func aLimitOutOfItsRangeIsReported(arguments: [String]) async throws {
    let folder = try Folder()
    let result = try await Command(
      "anechoic-server", ["--listen", "127.0.0.1:0"] + arguments, in: folder
    ).wait(atMost: .seconds(10))
    #expect(result.status == 64 && !result.wasSignalled)
    let line = try #require(result.errorLines.first)
    #expect(line.contains(arguments[0]), "\(result.errors)")
    #expect(!line.contains("Missing value"), "\(result.errors)")
  }
}
