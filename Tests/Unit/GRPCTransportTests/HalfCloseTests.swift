import GRPCTransport
import Testing
import TestTime

@Suite(.timeLimit(.minutes(1)))
struct HalfCloseTests {
  @Test func theHalfCloseComesOnceAfterTheLastMessage() async throws {
    try await withServer(.sink) { server in
      let call = server.call()
      try await within {
        for index in 0..<3 { try await call.send([UInt8(index)]) }
      }
      call.halfClose()
      try await #expect(call.outcome() == .ok)
      try await server.journal.wait(for: .released)
      #expect(
        server.journal.events() == [
          .started, .received([0]), .received([1]), .received([2]), .halfClosed, .ended, .released,
        ])
    }
  }

  @Test func theServerMayContinueAfterTheHalfClose() async throws {
    var script = ScriptedHandler.Script.source(50, bytes: 10)
    script.halfClosed = script.started
    script.started = { $0.call.read() }
    try await withServer(script) { server in
      let call = server.call()
      call.halfClose()
      try await #expect(call.remainder().count == 50)
    }
  }

  @Test func aCancelAfterTheHalfCloseIsReportedToo() async throws {
    var script = ScriptedHandler.Script.echo
    script.halfClosed = { _ in }
    try await withServer(script) { server in
      let call = server.call()
      call.halfClose()
      try await server.journal.wait(for: .halfClosed)
      call.cancel()
      try await server.journal.wait(for: .released)
      #expect(server.journal.events() == [.started, .halfClosed, .cancelled, .ended, .released])
    }
  }

  @Test(arguments: [1, 2])
  func aVanishedClientHasNotHalfClosed(queueCount: Int) async throws {
    var options = Server.Options.loopback
    options.queueCount = queueCount
    try await withServer(options: options) { server in
      let channels = server.connections(5)
      for round in 0..<20 {
        let calls = (0..<25).map { _ in channels[round % 5].call(.test) }
        for call in calls { try await #expect(call.exchange([1]) == [1]) }
        for (index, call) in calls.enumerated() where index.isMultiple(of: 5) == false {
          call.cancel()
        }
        for (index, call) in calls.enumerated() where index.isMultiple(of: 5) { call.halfClose() }
        try await server.journal.wait(for: .released, times: 25 * (round + 1))
      }
      #expect(server.journal.count(of: .cancelled) == 400)
      #expect(server.journal.count(of: .halfClosed) == 100)
    }
  }

  @Test func aHalfCloseIsNoticedSoon() async throws {
    try await withServer { server in
      let channel = server.channel()
      try await #expect(channel.call(.test).exchange([1]) == [1])
      let began = ContinuousClock.now
      for _ in 0..<100 {
        let call = channel.call(.test)
        call.halfClose()
        try await #expect(call.outcome() == .ok)
      }
      let each = (ContinuousClock.now - began) / 100
      print("an empty call takes \(each)")
      #expect(each < .milliseconds(600))
    }
  }
}
