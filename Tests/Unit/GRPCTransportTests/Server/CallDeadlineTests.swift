import GRPCTransport
import Testing
import TestTime

/// Clients that exceed the time limits of a server.
@Suite(.timeLimit(.minutes(1)))
struct CallDeadlineTests {
  private static let unstarted = Status(.deadlineExceeded, "no message came", details: [1, 2])
  private static let stalled = Status(.resourceExhausted, "nothing was read")
  private static let start = CallDeadline(.seconds(60), unstarted)
  private static let write = CallDeadline(.milliseconds(200), stalled)

  @Test func aCallThatSendsNothingEndsWithTheStatusOfTheStartDeadline() async throws {
    let clock = TestClock()
    try await withScript(.echo, CallDeadlines(start: Self.start), clock) { server in
      let call = server.call()
      try await server.journal.wait(for: .started)
      clock.advance(by: .seconds(60))
      try await #expect(call.outcome() == Self.unstarted)
      try await server.journal.wait(for: .released)
      #expect(server.journal.events() == [.started, .ended, .released])
    }
  }

  @Test func aCallThatSentAMessageMayStaySilent() async throws {
    let clock = TestClock()
    try await withScript(.echo, CallDeadlines(start: Self.start), clock) { server in
      let call = server.call()
      try await #expect(call.exchange([1]) == [1])
      let late = server.call()
      try await server.journal.wait(for: .started, times: 2)
      clock.advance(by: .seconds(60))
      try await #expect(late.outcome() == Self.unstarted)
      try await #expect(call.exchange([2]) == [2])
    }
  }

  @Test func anAsynchronousMethodHasAStartDeadlineToo() async throws {
    let method = ServerMethod.unary(.test) { request, _ in request }
      .with(CallDeadlines(start: Self.start))
    let clock = TestClock()
    try await withServer([method], options: .loopback(clock)) { server in
      let call = server.call()
      try await clock.advancing(by: .seconds(10)) {
        try await #expect(call.outcome() == Self.unstarted)
      }
    }
  }

  @Test func aClientThatDoesNotReadIsAborted() async throws {
    let script = ScriptedHandler.Script.source(500, bytes: 65_536)
    try await withScript(script, CallDeadlines(write: Self.write)) { server in
      let call = server.call()
      try await server.journal.wait(for: .released)
      let last = server.journal.events().suffix(4)
      #expect(last == [.note("stalled"), .cancelled, .ended, .released])
      try await #expect(call.outcome() == Self.stalled)
    }
  }

  @Test func aClientThatReadsIsNot() async throws {
    let script = ScriptedHandler.Script.source(500, bytes: 65_536)
    try await withScript(script, CallDeadlines(write: Self.write)) { server in
      try await #expect(server.call().remainder().count == 500)
    }
  }

  @Test func theStatusThatWaitsForAWriteIsBoundByItsDeadline() async throws {
    var script = ScriptedHandler.Script.source(500, bytes: 65_536)
    script.halfClosed = { $0.call.finish(.ok) }
    script.started = { [started = script.started] handler in
      handler.call.read()
      started(handler)
    }
    let write = CallDeadline(.seconds(60), Self.stalled)
    let clock = TestClock()
    try await withScript(script, CallDeadlines(write: write), clock) { server in
      let call = server.call()
      // The next write cannot leave, and the status waits for it.
      _ = try await server.journal.standstill(of: .writeCompleted)
      call.halfClose()
      try await server.journal.wait(for: .halfClosed)
      clock.advance(by: .seconds(60))
      try await server.journal.wait(for: .released)
      #expect(server.journal.count(of: .halfClosed) == 1)
      #expect(server.journal.count(of: .note("stalled")) == 1)
      try await #expect(call.outcome() == Self.stalled)
    }
  }

  @Test func aDeadlineMayChangeWhileTheCallRuns() async throws {
    var script = ScriptedHandler.Script.source(500, bytes: 65_536)
    script.started = { [started = script.started] handler in
      started(handler)
      handler.call.writeDeadline = Self.write
    }
    try await withServer(script) { server in
      let call = server.call()
      try await server.journal.wait(for: .released)
      try await #expect(call.outcome() == Self.stalled)
    }
  }

  @Test func moreThanTheLimitOfUnreadMessagesOverflowsOnce() async throws {
    let limit = OutgoingMessages.Limit(messages: 64, bytes: 1 << 20)
    let method = ServerMethod(.test) { FloodingHandler($0, limit) }
    try await withServer([method]) { server in
      let call = server.call()
      try await #expect(call.outcome() == Status(.resourceExhausted, "65 overflowed 1 time"))
    }
  }

  private func withScript(
    _ script: ScriptedHandler.Script, _ deadlines: CallDeadlines, _ clock: TestClock? = nil,
    _ body: (TestServer) async throws -> Void
  ) async throws {
    let journal = Journal()
    let method = ServerMethod(.test) { ScriptedHandler($0, journal, script) }.with(deadlines)
    try await withServer([method], options: .loopback(clock), journal: journal, body)
  }
}

/// A handler that sends one message more than may wait. Its status contains the number of
/// overflows.
private final class FloodingHandler: ServerCallHandler {
  private let call: ServerCall
  private let limit: OutgoingMessages.Limit
  private var overflows = 0
  private lazy var messages = OutgoingMessages(call, limit: limit) { [weak self] in
    self?.overflowed()
  }

  init(_ call: ServerCall, _ limit: OutgoingMessages.Limit) {
    self.call = call
    self.limit = limit
    // The first message is in flight and does not wait.
    for _ in 0...limit.messages { send() }
    precondition(messages.waiting == limit.messages && overflows == 0)
    send()
    send()
    precondition(messages.waiting == 0 && overflows == 0)
  }

  func received(_ message: UnsafeRawBufferPointer) {}
  func halfClosed() {}
  func writeCompleted() { messages.writeCompleted() }
  func cancelled() {}
  func ended() {}

  private func send() { messages.send(size: 1) { $0[0] = 1 } }

  private func overflowed() {
    overflows += 1
    call.abort(
      Status(.resourceExhausted, "\(limit.messages + 1) overflowed \(overflows) time"))
  }
}
