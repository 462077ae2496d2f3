import GRPCTransport
import Testing
import TestTime

@Suite(.timeLimit(.minutes(1)))
struct QueueTests {
  private static var options: Server.Options {
    Server.Options(addresses: ["127.0.0.1:0"], queueCount: 2)
  }

  @Test func theCallsOfOneConnectionSpreadOverTheQueues() async throws {
    try await withServer(options: Self.options) { server in
      let channel = server.channel()
      let calls = (0..<20).map { _ in channel.call(.test) }
      for call in calls { try await #expect(call.exchange([1]) == [1]) }
      let starts = server.journal.entries.filter { $0.event == .started }
      let perThread = Dictionary(grouping: starts, by: \.thread).mapValues(\.count)
      #expect(perThread.count == 2, "\(perThread)")
      #expect(perThread.values.allSatisfy { $0 >= 5 }, "\(perThread)")
      withExtendedLifetime(calls) {}
    }
  }

  @Test(arguments: [0, 1, 2, 5])
  func anyNumberOfQueuesServes(count: Int) async throws {
    var options = Server.Options.loopback
    options.queueCount = count
    try await withServer(options: options) { server in
      let calls = (0..<10).map { _ in server.call() }
      for call in calls { try await #expect(call.exchange([1]) == [1]) }
      let threads = Set(server.journal.entries.map(\.thread))
      #expect(threads.count <= max(1, count))
    }
  }

  @Test func aCallStaysOnItsThreadAndGetsOneEventAtATime() async throws {
    try await withServer(options: Self.options) { server in
      let channel = server.channel()
      try await withThrowingTaskGroup { group in
        for index in 0..<40 {
          group.addTask {
            let call = channel.call(.test)
            for round in 0..<25 {
              let message = [UInt8(index), UInt8(round)]
              try await #expect(call.exchange(message) == message)
            }
            if index.isMultiple(of: 2) { call.halfClose() } else { call.cancel() }
            let outcome = try await call.outcome().code
            #expect(outcome == (index.isMultiple(of: 2) ? .ok : .cancelled))
          }
        }
        try await group.waitForAll()
      }
      try await server.journal.wait(for: .released, times: 40)
      let entries = server.journal.entries
      #expect(!entries.contains { $0.event == .overlapped })
      for (call, events) in Dictionary(grouping: entries, by: \.call) {
        #expect(Set(events.map(\.thread)).count == 1, "call \(call)")
        #expect(events.first?.event == .started)
        #expect(events.dropLast().last?.event == .ended)
      }
    }
  }

  @Test func aBlockedQueueDoesNotHoldUpTheOther() async throws {
    var script = ScriptedHandler.Script.echo
    script.received = { handler, message in
      if message == [0] {
        handler.note("blocked")
        try? handler.journal.blockUntilReleased()
      }
      handler.write(message)
    }
    try await withServer(script, options: Self.options) { server in
      let calls = (0..<2).map { _ in server.call() }
      for call in calls { try await #expect(call.exchange([1]) == [1]) }
      let threads = Set(server.journal.entries.map(\.thread))
      try #require(threads.count == 2)
      try await within { try await calls[0].send([0]) }
      try await server.journal.wait(for: .note("blocked"))
      try await #expect(calls[1].exchange([2]) == [2])
      server.journal.release()
      try await #expect(within { try await calls[0].receive() } == [0])
    }
  }
}
