import Synchronization
import TestTime
import Testing

@testable import VoiceEdge

/// Calls that must reach the server one after another.
@Suite(.timeLimit(.minutes(1)))
struct CallOrderTests {
  private struct Refused: Error {}

  private final class Passed: Sendable {
    private let list = Mutex<[Int]>([])
    var numbers: [Int] { list.withLock { $0 } }
    func add(_ number: Int) { list.withLock { $0.append(number) } }
  }

  @Test func callsPassOneAfterAnotherInTheirOrder() async throws {
    let order = CallOrder()
    let passed = Passed()
    let (held, release) = AsyncStream.makeStream(of: Void.self)
    let first = Task {
      try await order.pass {
        for await _ in held {}
        passed.add(0)
      }
    }
    try await eventually("the first call passes") { order.isTaken }
    var others: [Task<Void, any Error>] = []
    for number in 1...3 {
      others.append(
        Task { try await order.pass { passed.add(number) } })
      try await eventually("\(number) waits") { order.waitingCount == number }
    }
    #expect(passed.numbers.isEmpty)
    release.finish()
    for task in [first] + others { try await task.value }
    #expect(passed.numbers == [0, 1, 2, 3])
  }

  @Test func aCallThatFailsLetsTheNextOnePass() async throws {
    let order = CallOrder()
    await #expect(throws: Refused.self) { try await order.pass { throw Refused() } }
    #expect(try await order.pass { 7 } == 7)
  }
}
