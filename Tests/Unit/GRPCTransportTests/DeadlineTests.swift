import GRPCTransport
import Synchronization
import Testing
import TestTime

@Suite(.timeLimit(.minutes(1)))
struct DeadlineTests {
  /// The deadline of calls that must have started before it passes, even on a busy machine.
  private static let timeout = Duration.seconds(4)

  @Test func aDeadlineEndsTheCallOnBothSides() async throws {
    try await withServer { server in
      let began = ContinuousClock.now
      let call = server.call(timeout: Self.timeout)
      try await #expect(call.exchange([1]) == [1])
      try await #expect(call.outcome().code == .deadlineExceeded)
      #expect(ContinuousClock.now - began >= Self.timeout - .milliseconds(1))
      #expect(ContinuousClock.now - began < .seconds(15))
      try await server.journal.wait(for: .released)
      #expect(server.journal.count(of: .cancelled) == 1)
      #expect(server.journal.count(of: .halfClosed) == 0)
    }
  }

  @Test func aDeadlineAfterTheHalfCloseEndsTheCallToo() async throws {
    var script = ScriptedHandler.Script.echo
    script.halfClosed = { _ in }
    try await withServer(script) { server in
      let call = server.call(timeout: Self.timeout)
      call.halfClose()
      try await #expect(call.outcome().code == .deadlineExceeded)
      try await server.journal.wait(for: .released)
      #expect(server.journal.events() == [.started, .halfClosed, .cancelled, .ended, .released])
    }
  }

  @Test(arguments: [Duration.zero, .seconds(-5)])
  func aDeadlineThatHasPassedEndsTheCallAtOnce(timeout: Duration) async throws {
    try await withServer { server in
      let call = server.call(timeout: timeout)
      try await #expect(call.outcome().code == .deadlineExceeded)
    }
  }

  @Test func aBlockedSenderIsReleasedByTheDeadline() async throws {
    try await withServer(.silence) { server in
      let call = server.call(timeout: .milliseconds(300))
      let error = try await within {
        await #expect(throws: Status.self) {
          while true { try await call.send([UInt8](repeating: 0, count: 262_144)) }
        }
      }
      #expect(error?.code == .deadlineExceeded)
    }
  }

  @Test func theServerKnowsHowMuchTimeIsLeft() async throws {
    let script = ScriptedHandler.Script(started: { handler in
      switch handler.call.timeLeft {
      case nil: handler.note("for ever")
      case .some(.seconds(50)...(.seconds(61))): handler.note("a minute")
      case .some(let left): handler.note(left > .seconds(80_000) ? "ages" : "\(left)")
      }
      handler.call.finish(.ok)
    })
    try await withServer(script) { server in
      for timeout in [nil, .seconds(60), .seconds(Int64.max), .seconds(10_000_000)] as [Duration?] {
        try await #expect(server.call(timeout: timeout).outcome() == .ok)
      }
      let notes = (1...4).map { server.journal.events(in: $0)[1] }
      #expect(
        notes == [.note("for ever"), .note("a minute"), .note("for ever"), .note("ages")])
    }
  }

  @Test func theTaskOfAnAsynchronousMethodIsCancelledAtTheDeadline() async throws {
    let journal = Journal()
    let method = ServerMethod.unary(.test) { _, _ in
      do {
        try await untilCancelled()
      } catch {
        journal.record(.note("\(type(of: error))"))
        throw error
      }
      return []
    }
    try await withServer([method], journal: journal) { server in
      let channel = server.channel()
      let error = await #expect(throws: Status.self) {
        try await within { try await channel.unary(.test, [], timeout: Self.timeout) }
      }
      #expect(error?.code == .deadlineExceeded)
      try await journal.wait(for: .note("CancellationError"))
    }
  }
}
