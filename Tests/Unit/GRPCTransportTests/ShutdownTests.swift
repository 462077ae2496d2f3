import GRPCTransport
import Testing
import TestTime

@Suite(.timeLimit(.minutes(1)))
struct ShutdownTests {
  @Test func anIdleServerStopsAtOnce() async throws {
    try await withServer { server in
      try await within { await server.server.shutdown(grace: .seconds(30)) }
    }
  }

  @Test func anIdleConnectionDoesNotHoldTheServerUp() async throws {
    try await withServer { server in
      let channel = server.channel()
      let call = channel.call(.test)
      call.halfClose()
      try await #expect(call.outcome() == .ok)
      try await within { await server.server.shutdown(grace: .seconds(30)) }
      withExtendedLifetime(channel) {}
    }
  }

  @Test func aRunningCallMayFinishWithinTheGrace() async throws {
    try await withServer { server in
      let call = server.call()
      try await #expect(call.exchange([1]) == [1])
      let began = ContinuousClock.now
      let shutdown = Task { await server.server.shutdown(grace: .seconds(30)) }
      try await expectRefusal { Channel(target: server.address, options: .fresh()) }
      try await #expect(call.exchange([2]) == [2])
      call.halfClose()
      try await #expect(call.outcome() == .ok)
      try await within { await shutdown.value }
      #expect(ContinuousClock.now - began < .seconds(20))
      #expect(server.journal.count(of: .cancelled) == 0)
      #expect(server.journal.count(of: .released) == 1)
    }
  }

  @Test func theConnectionOfARunningCallRefusesNewOnes() async throws {
    try await withServer { server in
      let channel = server.channel()
      let running = channel.call(.test)
      try await #expect(running.exchange([1]) == [1])
      let shutdown = Task { await server.server.shutdown(grace: .seconds(30)) }
      // Uses this connection, which learns of the end after the listener has closed.
      try await expectRefusal { channel }
      try await #expect(channel.call(.test).outcome().code == .unavailable)
      running.halfClose()
      try await #expect(running.outcome() == .ok)
      try await within { await shutdown.value }
      #expect(server.journal.count(of: .started) == 1)
    }
  }

  @Test func afterTheGraceACallIsCancelled() async throws {
    try await withServer { server in
      let calls = (0..<5).map { _ in server.call() }
      for call in calls { try await #expect(call.exchange([1]) == [1]) }
      let began = ContinuousClock.now
      try await within { await server.server.shutdown(grace: .milliseconds(300)) }
      #expect(ContinuousClock.now - began >= .milliseconds(299))
      #expect(ContinuousClock.now - began < .seconds(15))
      #expect(server.journal.count(of: .cancelled) == 5)
      #expect(server.journal.count(of: .released) == 5)
      #expect(server.journal.count(of: .halfClosed) == 0)
      for call in calls {
        let code = try await call.outcome().code
        #expect(code == .unavailable || code == .cancelled, "\(code.name)")
      }
    }
  }

  @Test func asynchronousMethodsAreCancelledAfterTheGraceToo() async throws {
    let journal = Journal()
    let method = ServerMethod.serverStreaming(.test) { _, _, responses in
      do {
        try await responses.send([1])  // The client may have the message before this returns.
        try await untilCancelled()
      } catch {
        journal.record(.note("cancelled"))
      }
    }
    try await withServer([method], journal: journal) { server in
      let channel = server.channel()
      let call = try await within { try await channel.serverStreaming(.test, []) }
      try await #expect(within { try await call.receive() } == [1])
      try await within { await server.server.shutdown(grace: .zero) }
      try await journal.wait(for: .note("cancelled"))
    }
  }

  @Test func theServerIsGoneAfterIt() async throws {
    try await withServer { server in
      let channel = server.channel()
      try await #expect(channel.call(.test).exchange([1]) == [1])
      try await within { await server.server.shutdown(grace: .zero) }
      try await #expect(channel.call(.test).outcome().code == .unavailable)
    }
  }

  @Test func aSecondShutdownReturnsAtOnce() async throws {
    try await withServer { server in
      let call = server.call()
      try await #expect(call.exchange([1]) == [1])
      let first = Task { await server.server.shutdown(grace: .seconds(30)) }
      try await expectRefusal { Channel(target: server.address, options: .fresh()) }
      try await within { await server.server.shutdown(grace: .seconds(30)) }
      call.halfClose()
      try await #expect(call.outcome() == .ok)
      try await within { await first.value }
      try await within { await server.server.shutdown(grace: .seconds(30)) }
    }
  }

  @Test func aNegativeGraceCountsAsZero() async throws {
    try await withServer { server in
      let call = server.call()
      try await #expect(call.exchange([1]) == [1])
      try await within { await server.server.shutdown(grace: .seconds(-1)) }
      #expect(server.journal.count(of: .cancelled) == 1)
    }
  }

  @Test func serversMayComeAndGo() async throws {
    for _ in 0..<20 {
      try await withServer { server in
        try await #expect(server.call().exchange([1]) == [1])
      }
    }
  }

  /// Waits until the server accepts no new calls.
  private func expectRefusal(on channel: @escaping @Sendable () -> Channel) async throws {
    try await within {
      while true {
        if try await channel().call(.other).outcome().code == .unavailable { return }
      }
    }
  }
}
