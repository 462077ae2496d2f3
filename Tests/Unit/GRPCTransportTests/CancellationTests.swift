import GRPCTransport
import Testing
import TestTime

@Suite(.timeLimit(.minutes(1)))
struct CancellationTests {
  /// A generous limit for a busy machine. An idle machine takes about a millisecond.
  private static let atOnce = Duration.seconds(10)

  @Test func theHandlerLearnsOfACancelAtOnce() async throws {
    try await withServer { server in
      let call = server.call()
      try await #expect(call.exchange([1]) == [1])
      // The answer may arrive before its writer knows. A cancellation would overtake this event.
      try await server.journal.wait(for: .writeCompleted)
      let cancelled = ContinuousClock.now
      call.cancel()
      try await server.journal.wait(for: .released)
      let heard = try #require(server.journal.entries.first { $0.event == .cancelled })
      print("a cancel is heard after \(heard.time - cancelled)")
      #expect(heard.time - cancelled < Self.atOnce)
      #expect(
        server.journal.events() == [
          .started, .received([1]), .writeCompleted, .cancelled, .ended, .released,
        ])
    }
  }

  @Test func pendingSendsAndReceivesThrowCancelled() async throws {
    try await withServer(.silence) { server in
      let call = server.call()
      async let outcome = call.outcome()
      try await server.journal.wait(for: .started)
      call.cancel()
      try await #expect(outcome.code == .cancelled)
      let error = await #expect(throws: Status.self) { try await call.send([1]) }
      #expect(error?.code == .cancelled)
    }
  }

  @Test func aDroppedCallIsCancelled() async throws {
    try await withServer { server in
      let channel = server.channel()
      do {
        let call = channel.call(.test)
        try await #expect(call.exchange([1]) == [1])
      }
      try await server.journal.wait(for: .released, within: Self.atOnce)
      #expect(server.journal.count(of: .cancelled) == 1)
      #expect(server.journal.count(of: .halfClosed) == 0)
    }
  }

  @Test func aCallAndItsChannelMayBeDroppedTogether() async throws {
    try await withServer { server in
      try await #expect(server.call().exchange([1]) == [1])
      try await server.journal.wait(for: .released, within: Self.atOnce)
      #expect(server.journal.count(of: .cancelled) == 1)
    }
  }

  @Test func aCallCancelledBeforeItHasConnectedEnds() async throws {
    try await withServer { server in
      let call = server.call()
      call.cancel()
      call.cancel()
      try await #expect(call.outcome().code == .cancelled)
    }
  }

  @Test func aTaskThatReceivesCancelsItsCall() async throws {
    try await withServer { server in
      let call = server.call()
      try await #expect(call.exchange([1]) == [1])
      let task = Task { try await call.receive() }
      task.cancel()
      let error = try await within { await #expect(throws: Status.self) { try await task.value } }
      #expect(error?.code == .cancelled)
      try await server.journal.wait(for: .cancelled)
    }
  }

  @Test func aTaskThatSendsToADeafServerCancelsItsCall() async throws {
    try await withServer(.silence) { server in
      let call = server.call()
      try await server.journal.wait(for: .started)
      let task = Task {
        while true { try await call.send([UInt8](repeating: 0, count: 262_144)) }
      }
      task.cancel()
      let error = try await within { await #expect(throws: Status.self) { try await task.value } }
      #expect(error?.code == .cancelled)
      try await server.journal.wait(for: .cancelled)
    }
  }

  /// The end of a call follows the data that the server sent. The client must find it although
  /// nobody reads.
  @Test func aBlockedSenderIsReleasedThoughAnswersAreUnread() async throws {
    let script = ScriptedHandler.Script(
      started: { handler in
        handler.writesLeft = 10
        handler.write([0])
      },
      writeCompleted: { handler in
        handler.writesLeft -= 1
        handler.writesLeft > 0 ? handler.write([0]) : handler.note("all written")
      })
    try await withServer(script) { server in
      let call = server.call()
      try await server.journal.wait(for: .note("all written"))
      let task = Task {
        while true { try await call.send([UInt8](repeating: 0, count: 262_144)) }
      }
      task.cancel()
      let error = try await within {
        await #expect(throws: Status.self) { try await task.value }
      }
      #expect(error?.code == .cancelled)
    }
  }

  @Test func aSenderIsReleasedWhenTheServerEndsTheCallThoughAnswersAreUnread() async throws {
    try await withServer(.source(10, bytes: 1)) { server in
      let call = server.call()
      try await server.journal.wait(for: .ended)
      let sender = Task {
        while true { try await call.send([UInt8](repeating: 0, count: 262_144)) }
      }
      let error = try await within {
        await #expect(throws: Status.self) { try await sender.value }
      }
      #expect(error?.code == .failedPrecondition)
      try await #expect(call.remainder().count == 10)
    }
  }

  @Test func aCancelledHandlerMayStillFinish() async throws {
    var script = ScriptedHandler.Script.echo
    script.cancelled = { $0.call.finish(Status(.aborted, "too late")) }
    try await withServer(script) { server in
      let call = server.call()
      try await #expect(call.exchange([1]) == [1])
      call.cancel()
      try await #expect(call.outcome().code == .cancelled)
      try await server.journal.wait(for: .released)
      #expect(server.journal.count(of: .ended) == 1)
    }
  }
}
