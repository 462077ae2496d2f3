import GRPCTransport
import Testing
import TestTime

@Suite(.timeLimit(.minutes(1)))
struct FlowControlTests {
  private static let messageBytes = 65_536
  private static let messageCount = 500  // 32 MB, far more than any window.

  @Test func aClientThatDoesNotReadHoldsTheServerBack() async throws {
    try await withServer(.source(Self.messageCount, bytes: Self.messageBytes)) { server in
      let call = server.call()
      let written = try await server.journal.standstill(of: .writeCompleted)
      #expect(written < Self.messageCount / 2, "\(written) writes were completed")
      let messages = try await call.remainder()
      #expect(messages.map(\.[0]) == (0..<Self.messageCount).map { UInt8(truncatingIfNeeded: $0) })
      try await server.journal.wait(for: .ended)
      #expect(server.journal.count(of: .writeCompleted) == Self.messageCount)
    }
  }

  @Test func aServerThatDoesNotReadHoldsTheClientBack() async throws {
    var script = ScriptedHandler.Script.sink
    script.started = { handler in
      let executor = handler.call.executor
      let call = Confined(handler.call)
      handler.journal.onRelease { executor.perform { call.value.read() } }
    }
    try await withServer(script) { server in
      let call = server.call()
      let sent = Journal()
      let sender = Task {
        for index in 0..<Self.messageCount {
          var message = [UInt8](repeating: 0, count: Self.messageBytes)
          message[0] = UInt8(truncatingIfNeeded: index)
          try await call.send(message)
          sent.record(.note("sent"))
        }
        call.halfClose()
      }
      try await server.journal.wait(for: .started)
      let count = try await sent.standstill(of: .note("sent"))
      #expect(count < Self.messageCount / 2, "\(count) sends returned")
      server.journal.release()
      try await within { try await sender.value }
      try await #expect(call.outcome() == .ok)
      let received = server.journal.entries.compactMap { entry in
        if case .received(let message) = entry.event { message[0] } else { nil }
      }
      #expect(received == (0..<Self.messageCount).map { UInt8(truncatingIfNeeded: $0) })
    }
  }

  @Test func aSlowReaderDoesNotHoldUpTheOthers() async throws {
    let other = ServerMethod.unary(.other) { request, _ in request }
    let script = ScriptedHandler.Script.source(Self.messageCount, bytes: Self.messageBytes)
    try await withServer(script, also: [other]) { server in
      let slow = server.call()
      _ = try await server.journal.standstill(of: .writeCompleted)
      let channel = server.channel(.fresh())
      try await #expect(within { try await channel.unary(.other, [1]) } == [1])
      slow.cancel()
      try await server.journal.wait(for: .released)
    }
  }

  @Test func anAbortReachesAClientThatDoesNotRead() async throws {
    var script = ScriptedHandler.Script.source(Self.messageCount, bytes: Self.messageBytes)
    script.started = { [started = script.started] handler in
      let executor = handler.call.executor
      let call = Confined(handler.call)
      let journal = handler.journal
      journal.onRelease {
        executor.perform {
          journal.record(.note("aborted"))
          call.value.abort(Status(.resourceExhausted, "too slow: ü"))
        }
      }
      started(handler)
    }
    try await withServer(script) { server in
      let call = server.call()
      _ = try await server.journal.standstill(of: .writeCompleted)
      server.journal.release()
      try await server.journal.wait(for: .released)
      #expect(server.journal.count(of: .cancelled) == 1)
      let events = server.journal.entries.map(\.event)
      let abort = try #require(events.firstIndex(of: .note("aborted")))
      #expect(events[abort...].count { $0 == .writeCompleted } <= 1)
      try await #expect(call.outcome() == Status(.resourceExhausted, "too slow: ü"))
    }
  }

  @Test func anAbortReachesAClientThatReadsToo() async throws {
    let script = ScriptedHandler.Script(received: { handler, _ in
      handler.call.abort(Status(.unavailable, "go away", details: [1]))
    })
    try await withServer(script) { server in
      let call = server.call()
      try await within { try await call.send([1]) }
      try await #expect(call.outcome() == Status(.unavailable, "go away"))
      try await server.journal.wait(for: .released)
      #expect(
        server.journal.events() == [.started, .received([1]), .cancelled, .ended, .released])
    }
  }

  @Test func aSlowReaderOfAnAsynchronousMethodHoldsItBack() async throws {
    let journal = Journal()
    let method = ServerMethod.serverStreaming(.test) { _, _, responses in
      for _ in 0..<Self.messageCount {
        try await responses.send([UInt8](repeating: 0, count: Self.messageBytes))
        journal.record(.note("sent"))
      }
    }
    try await withServer([method], journal: journal) { server in
      let channel = server.channel()
      let call = try await within { try await channel.serverStreaming(.test, []) }
      let sent = try await journal.standstill(of: .note("sent"))
      #expect(sent < Self.messageCount / 2)
      try await #expect(call.remainder().count == Self.messageCount)
    }
  }
}
