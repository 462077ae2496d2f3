import Synchronization
import TestTime
import Testing

@testable import VoiceEdge

/// Calls that must reach the server one after another.
@Suite(.timeLimit(.minutes(1)))
struct CallOrderTests {
  private struct Refused: Error {}

  @Test func callsPassOneAfterAnotherInTheirOrder() async throws {
    let (order, passed) = (CallOrder(), Mutex<[Int]>([]))
    let (held, release) = AsyncStream.makeStream(of: Void.self)
    let first = Task {
      try await order.pass {
        for await _ in held {}
        passed.withLock { $0.append(0) }
      }
    }
    try await eventually("the first call passes") { order.isTaken }
    var others: [Task<Void, any Error>] = []
    for number in 1...3 {
      others.append(
        Task { try await order.pass { passed.withLock { $0.append(number) } } })
      try await eventually("\(number) waits") { order.waitingCount == number }
    }
    #expect(passed.withLock { $0 }.isEmpty)
    release.finish()
    for task in [first] + others { try await task.value }
    #expect(passed.withLock { $0 } == [0, 1, 2, 3])
  }

  @Test func aCallThatFailsLetsTheNextOnePass() async throws {
    let order = CallOrder()
    await #expect(throws: Refused.self) { try await order.pass { throw Refused() } }
    #expect(try await order.pass { 7 } == 7)
  }
}
