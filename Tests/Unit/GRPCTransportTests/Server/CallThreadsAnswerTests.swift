import Dispatch
import GRPCTransport
import Synchronization
import Testing
import TestTime

/// The question to the threads that serve calls, on which a watchdog relies.
@Suite(.timeLimit(.minutes(1)))
struct CallThreadsAnswerTests {
  private final class Flag: Sendable {
    private let value = Mutex(false)

    var isSet: Bool { value.withLock { $0 } }
    func set() { value.withLock { $0 = true } }
  }

  @Test func threadsThatServeCallsAnswer() async throws {
    try await withServer { server in
      await server.server.callThreadsAnswer()
      try await #expect(server.call().exchange([1]) == [1])
      await server.server.callThreadsAnswer()
    }
  }

  @Test func aStuckThreadDoesNotAnswerUntilItGoesOn() async throws {
    let (stuck, hasAnswered) = (DispatchSemaphore(value: 0), Flag())
    let (starts, started) = AsyncStream.makeStream(of: Void.self)
    let script = ScriptedHandler.Script(started: { handler in
      started.finish()
      stuck.wait()
      handler.call.finish(.ok)
    })
    try await withServer(script) { test in
      let call = test.call()
      for await _ in starts {}
      let answer = Task { [server = test.server] in
        await server.callThreadsAnswer()
        hasAnswered.set()
      }
      // A thread that is not stuck answers in less than a millisecond.
      try await remains("without an answer", for: .milliseconds(100)) { !hasAnswered.isSet }
      stuck.signal()
      await answer.value
      try await #expect(call.outcome() == .ok)
    }
  }
}
