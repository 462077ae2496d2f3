import Testing

@testable import VoiceServer

/// A client that is ahead of real time all the time, on a virtual clock.
struct InputLeadTests {
  private static let start = ContinuousClock.now

  /// Notes an allowance in ms every 10 ms. Returns the changes and their times in ms.
  private static func changes(_ allowances: [Int64]) -> [Int: Bool] {
    var lead = InputLead()
    var changes: [Int: Bool] = [:]
    for (index, allowance) in allowances.enumerated() {
      let now = start + .milliseconds(10 * index)
      if let change = lead.record(allowance: allowance * 1_000_000, now: now) {
        changes[10 * index] = change
      }
    }
    return changes
  }

  @Test func aBacklogIsToldAfterTwoSecondsAndItsEndTwoSecondsLater() {
    let backlog = [Int64](repeating: -10, count: 500)
    let inStep = [Int64](repeating: 400, count: 500)
    #expect(Self.changes(backlog + inStep) == [2000: true, 7000: false])
  }

  @Test func aBurstAfterAStallIsNoBacklog() {
    let burst = [Int64](repeating: -10, count: 150)
    let inStep = [Int64](repeating: 100, count: 50)
    #expect(Self.changes(burst + inStep + burst + inStep).isEmpty)
  }

  /// The time without a connection is not time ahead.
  @Test func theTimeBeforeALostConnectionDoesNotCount() {
    var lead = InputLead()
    #expect(lead.record(allowance: 0, now: Self.start) == nil)
    lead.restart()
    #expect(lead.record(allowance: 0, now: Self.start + .seconds(5)) == nil)
    #expect(lead.record(allowance: 0, now: Self.start + .seconds(7)) == true)
  }

  @Test func aClientInStepIsNeverEarly() {
    #expect(Self.changes([Int64](repeating: 490, count: 10_000)).isEmpty)
  }
}
