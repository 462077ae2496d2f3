import Dispatch
import GRPCTransport
import Synchronization
import Testing
import TestTime

@Suite(.timeLimit(.minutes(1)))
struct ExecutorTests {
  /// The executor of the latest call, for other threads.
  private final class Reference: Sendable {
    let executor = Mutex<CallExecutor?>(nil)
    var value: CallExecutor? { executor.withLock { $0 } }
  }

  private func script(_ reference: Reference) -> ScriptedHandler.Script {
    var script = ScriptedHandler.Script.echo
    script.started = { handler in
      reference.executor.withLock { $0 = handler.call.executor }
      handler.call.read()
    }
    return script
  }

  @Test func workOfOtherThreadsRunsOnTheCallsThread() async throws {
    let reference = Reference()
    try await withServer(script(reference)) { server in
      let call = server.call()
      try await #expect(call.exchange([1]) == [1])
      let executor = try #require(reference.value)
      let journal = server.journal
      let began = ContinuousClock.now
      DispatchQueue.concurrentPerform(iterations: 1000) { _ in
        executor.perform { journal.record(.note("performed"), in: 1) }
      }
      try await journal.wait(for: .note("performed"), times: 1000)
      print("1,000 performs took \(ContinuousClock.now - began)")
      #expect(Set(journal.entries.filter { $0.call == 1 }.map(\.thread)).count == 1)
      #expect(journal.count(of: .note("performed")) == 1000)
    }
  }

  @Test func workOfOneThreadKeepsItsOrder() async throws {
    let reference = Reference()
    try await withServer(script(reference)) { server in
      let call = server.call()
      try await #expect(call.exchange([1]) == [1])
      let executor = try #require(reference.value)
      let journal = server.journal
      for index in 0..<500 {
        executor.perform { journal.record(.note("\(index)"), in: 2) }
      }
      executor.perform { journal.record(.note("last")) }
      try await journal.wait(for: .note("last"))
      #expect(journal.events(in: 2) == (0..<500).map { .note("\($0)") })
    }
  }

  @Test func workRunsSoon() async throws {
    let reference = Reference()
    try await withServer(script(reference)) { server in
      let call = server.call()
      try await #expect(call.exchange([1]) == [1])
      let executor = try #require(reference.value)
      let journal = server.journal
      let began = ContinuousClock.now
      for index in 0..<100 {
        executor.perform { journal.record(.note("turn \(index)")) }
        try await journal.wait(for: .note("turn \(index)"))
      }
      let each = (ContinuousClock.now - began) / 100
      print("one perform takes \(each)")
      #expect(each < .milliseconds(250))
    }
  }

  @Test func nothingRunsAfterTheEnd() async throws {
    let reference = Reference()
    try await withServer(script(reference)) { server in
      let call = server.call()
      try await #expect(call.exchange([1]) == [1])
      let executor = try #require(reference.value)
      call.halfClose()
      try await #expect(call.outcome() == .ok)
      try await server.journal.wait(for: .released)
      let journal = server.journal
      let first = Released(journal)
      executor.perform {
        first.touch()
        journal.record(.note("ran"))
      }
      // A round trip on the same thread. Work that was queued before would have run by now.
      try await #expect(server.call().exchange([2]) == [2])
      #expect(journal.count(of: .note("ran")) == 0)
    }
  }

  @Test func workThatIsQueuedWhenTheCallEndsDoesNotRun() async throws {
    let reference = Reference()
    var script = script(reference)
    script.cancelled = { handler in
      let (journal, number) = (handler.journal, handler.number)
      for _ in 0..<50 {
        handler.call.executor.perform { journal.record(.note("ran"), in: number) }
      }
    }
    try await withServer(script) { server in
      for number in 1...40 {
        let call = server.call()
        try await #expect(call.exchange([1]) == [1])
        call.cancel()
        try await server.journal.wait(for: .released, in: number)
      }
      for number in 1...40 {
        let events = server.journal.events(in: number)
        #expect(events.suffix(2) == [.ended, .released], "call \(number)")
      }
    }
  }

  @Test func anExecutorOutlivesItsServer() async throws {
    let reference = Reference()
    let journal = Journal()
    try await withServer(script(reference)) { server in
      let call = server.call()
      try await #expect(call.exchange([1]) == [1])
      try await within { await server.server.shutdown(grace: .zero) }
      reference.value?.perform { journal.record(.note("ran")) }
    }
    #expect(journal.entries.isEmpty)
  }
}

/// An object that records its deinit.
private final class Released: Sendable {
  private let journal: Journal

  init(_ journal: Journal) { self.journal = journal }

  deinit { journal.record(.note("work released")) }

  func touch() {}
}
