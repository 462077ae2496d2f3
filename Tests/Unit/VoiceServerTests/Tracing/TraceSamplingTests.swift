import GRPCTransport
import Testing

@testable import VoiceServer

struct TraceSamplingTests {
  private static let trace = "0af7651916cd43dd8448eb211c80319c"

  @Test(arguments: [true, false])
  func theDecisionOfTheCallerCounts(isSampled: Bool) throws {
    let trace = try #require(TraceID(Self.trace))
    let parent = TraceParent(trace: trace, span: 1, isSampled: isSampled)
    for ratio in [0, 1.0] {
      #expect(TraceSampling(ratio: ratio).records(trace, parent: parent) == isSampled)
    }
  }

  @Test(arguments: [(0.0, 0...0), (0.25, 1800...3200), (1.0, 10_000...10_000)])
  func aShareOfTheOthersIsRecorded(ratio: Double, expected: ClosedRange<Int>) {
    let sampling = TraceSampling(ratio: ratio)
    let count = (0..<10_000).count { _ in sampling.records(.random(), parent: nil) }
    #expect(expected.contains(count))
  }

  /// A fleet of servers with one ratio records the same traces, and with a larger one those too.
  @Test func theIdDecides() {
    let (few, many) = (TraceSampling(ratio: 0.1), TraceSampling(ratio: 0.6))
    for _ in 0..<1000 {
      let trace = TraceID.random()
      let isRecorded = few.records(trace, parent: nil)
      #expect(isRecorded == few.records(trace, parent: nil))
      #expect(!isRecorded || many.records(trace, parent: nil))
    }
  }

  @Test(arguments: [1.5, -1, .nan])
  func ratiosOutsideAreMovedInside(ratio: Double) {
    #expect((0...1).contains(TraceSampling(ratio: ratio).ratio))
  }
}
