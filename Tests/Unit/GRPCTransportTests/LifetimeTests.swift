import GRPCTransport
import Synchronization
import Testing
import TestTime

@Suite(.timeLimit(.minutes(1)))
struct LifetimeTests {
  /// A weak reference to a response writer.
  private final class Watch: Sendable {
    private struct Weak: @unchecked Sendable {
      weak var writer: ResponseWriter?
    }

    private let weak = Mutex<[Weak]>([])

    func watch(_ writer: ResponseWriter) { weak.withLock { $0.append(Weak(writer: writer)) } }
    var aliveCount: Int { weak.withLock { $0.count { $0.writer != nil } } }
  }

  @Test func aThousandCallsMayBeStartedAndDropped() async throws {
    var options = Server.Options.loopback
    options.queueCount = 2
    try await withServer(options: options) { server in
      let channels = server.connections(20)
      for index in 0..<1000 {
        let call = channels[index % 20].call(.test)
        if index.isMultiple(of: 2) { call.halfClose() }
      }
      for channel in channels { try await #expect(channel.call(.test).exchange([1]) == [1]) }
      try await within { await server.server.shutdown(grace: .zero) }
      let started = server.journal.count(of: .started)
      print("\(started - 1) of 1,000 calls had reached a handler")
      #expect(server.journal.count(of: .ended) == started)
      #expect(server.journal.count(of: .released) == started)
    }
  }

  @Test func aThousandRunningCallsMayBeDropped() async throws {
    var options = Server.Options.loopback
    options.queueCount = 2
    try await withServer(options: options) { server in
      let channels = server.connections(20)
      var calls = (0..<1000).map { channels[$0 % 20].call(.test) }
      try await server.journal.wait(for: .started, times: 1000)
      for call in calls.prefix(100) { try await #expect(call.exchange([1]) == [1]) }
      calls = []
      try await server.journal.wait(for: .released, times: 1000)
      #expect(server.journal.count(of: .cancelled) == 1000)
      #expect(server.journal.count(of: .halfClosed) == 0)
    }
  }

  @Test func anAsynchronousCallLeavesNothingBehind() async throws {
    let watch = Watch()
    let method = ServerMethod.serverStreaming(.test) { _, _, responses in
      watch.watch(responses)
      try await responses.send([1])
    }
    try await withServer([method]) { server in
      let channel = server.channel()
      for _ in 0..<10 {
        let call = try await within { try await channel.serverStreaming(.test, []) }
        try await #expect(call.remainder() == [[1]])
      }
      try await within { await server.server.shutdown(grace: .seconds(5)) }
      #expect(watch.aliveCount == 0)
    }
  }

  @Test func aCallMayEndWhileItsTaskIsStillRunning() async throws {
    let journal = Journal()
    let watch = Watch()
    let method = ServerMethod.serverStreaming(.test) { _, _, responses in
      watch.watch(responses)
      try await responses.send([1])
      journal.record(.note("running"))
      // This body ignores its cancellation.
      await Task { try? await journal.wait(for: .note("release")) }.value
      do {
        try await responses.send([2])
      } catch {
        journal.record(.note("\(type(of: error))"))
      }
      journal.record(.note("returned"))
      throw Status(.internal, "too late")
    }
    try await withServer([method], journal: journal) { server in
      let channel = server.channel()
      do {
        let call = try await within { try await channel.serverStreaming(.test, []) }
        try await #expect(within { try await call.receive() } == [1])
        // A call that nobody holds is cancelled, which would end the body's first `send`.
        try await journal.wait(for: .note("running"))
        withExtendedLifetime(call) {}
      }
      try await within { await server.server.shutdown(grace: .zero) }
      journal.release()
      try await journal.wait(for: .note("returned"))
      #expect(journal.count(of: .note("CancellationError")) == 1)
    }
  }

  @Test func aTaskThatTheBodyLeftBehindCannotSend() async throws {
    let journal = Journal()
    let method = ServerMethod.serverStreaming(.test) { _, _, responses in
      Task {
        try await journal.wait(for: .note("release"))
        do {
          try await responses.send([2])
        } catch {
          journal.record(.note("refused"))
        }
      }
    }
    try await withServer([method], journal: journal) { server in
      let channel = server.channel()
      let call = try await within { try await channel.serverStreaming(.test, []) }
      try await #expect(call.remainder() == [])
      journal.release()
      try await journal.wait(for: .note("refused"))
    }
  }

  @Test func anUnawaitedSendMayBeInFlightWhenTheBodyReturns() async throws {
    let method = ServerMethod.serverStreaming(.test) { _, _, responses in
      let (begins, began) = AsyncStream.makeStream(of: Void.self)
      Task {
        began.finish()
        try await responses.send([UInt8](repeating: 0, count: 1_048_576))
      }
      for await _ in begins {}
    }
    try await withServer([method]) { server in
      let channel = server.channel()
      for _ in 0..<20 {
        let call = try await within { try await channel.serverStreaming(.test, []) }
        try await #expect(call.remainder().count <= 1)
      }
    }
  }
}
