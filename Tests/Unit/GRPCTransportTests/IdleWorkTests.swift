import GRPCTransport
import Testing
import TestTime

/// Work that runs when its thread has nothing else to do.
@Suite(.timeLimit(.minutes(1)))
struct IdleWorkTests {
  @Test func everyEventComesBeforeIdleWork() async throws {
    var script = ScriptedHandler.Script.echo
    script.received = { handler, message in
      // The event is due at once, and the work is requested after it.
      _ = handler.call.whenIdle { handler.note("idle") }
      for _ in 0..<10 {
        _ = handler.call.schedule(after: .zero) { handler.note("due") }
      }
      handler.write(message)
    }
    try await withServer(script) { server in
      let call = server.call()
      try await #expect(call.exchange([1]) == [1])
      try await server.journal.wait(for: .note("idle"))
      let notes = server.journal.entries.map(\.event).filter { $0.isNote }
      #expect(notes.prefix(10).allSatisfy { $0 == .note("due") })
    }
  }

  @Test func theTurnsOfTwoCallsAlternate() async throws {
    var script = ScriptedHandler.Script.echo
    script.received = { handler, message in
      handler.writesLeft = 20
      takeTurn(handler, message)
    }
    try await withServer(script) { server in
      let calls = [server.call(), server.call()]
      for call in calls { try await call.send([1]) }
      for call in calls { try await #expect(within { try await call.receive() } == [1]) }
      // Each call has twenty turns. No call has two turns in a row while the other one has begun
      // and waits.
      let turns = server.journal.entries.filter { $0.event == .note("turn") }.map(\.call)
      #expect(turns.count == 40)
      let both = turns.drop { $0 == turns.first }.dropLast(
        turns.reversed().prefix { $0 == turns.last }.count)
      #expect(zip(both, both.dropFirst()).allSatisfy { $0 != $1 })
    }
  }

  @Test func aThreadThatIsNeverIdleRunsIdleWorkSometimes() async throws {
    var script = ScriptedHandler.Script.echo
    script.received = { handler, message in
      _ = handler.call.whenIdle { handler.write(message) }
      keepBusy(handler)
    }
    script.writeCompleted = { handler in
      handler.writesLeft = -1
      handler.call.finish(.ok)
    }
    try await withServer(script) { server in
      try await #expect(server.call().exchange([3]) == [3])
    }
  }

  @Test func workThatIsCancelledOrWhoseCallHasEndedNeverRuns() async throws {
    var script = ScriptedHandler.Script.echo
    script.halfClosed = { handler in
      handler.timer = handler.call.whenIdle { handler.note("cancelled one") }
      handler.timer?.cancel()
      handler.call.finish(.ok)
    }
    script.ended = { handler in
      _ = handler.call.whenIdle { handler.note("after the end") }
    }
    try await withServer(script) { server in
      let call = server.call()
      call.halfClose()
      try await #expect(call.outcome() == .ok)
      try await server.journal.wait(for: .released)
      #expect(server.journal.entries.filter(\.event.isNote).isEmpty)
    }
  }
}

/// Keeps an event due at every moment until it is stopped.
private func keepBusy(_ handler: ScriptedHandler) {
  guard handler.writesLeft >= 0 else { return }
  _ = handler.call.schedule(after: .zero) { keepBusy(handler) }
}

/// Takes twenty turns, then answers.
private func takeTurn(_ handler: ScriptedHandler, _ message: [UInt8]) {
  guard handler.writesLeft > 0 else { return handler.write(message) }
  handler.writesLeft -= 1
  _ = handler.call.whenIdle {
    handler.note("turn")
    takeTurn(handler, message)
  }
}

extension Journal.Event {
  fileprivate var isNote: Bool {
    if case .note = self { true } else { false }
  }
}
