import Testing

@testable import LiveVoice

/// The sound that a program gives late to a new session.
struct DebtTests {
  private static let start = ContinuousClock.now

  /// Returns the debt of a program that gave sound last so long before its session began.
  private static func debt(after stall: Duration) -> Debt {
    Debt(rate: 16_000, from: 16_000, now: start, heardAt: start - stall)
  }

  @Test func aBurstAfterAStallLosesWhatIsAheadOfRealTime() {
    var debt = Self.debt(after: .milliseconds(1500))
    let first = Self.start + .milliseconds(900)
    // The burst may not be complete yet.
    #expect(debt.pause(until: 16_160, now: first) == .milliseconds(50))
    let later = first + .milliseconds(60)
    #expect(debt.pause(until: 56_000, now: later) == .zero)
    // 960 ms have passed of the 2.5 s that came. Only 1.5 s are owed.
    #expect(debt.excess(until: 56_000, now: later) == 24_000)
    #expect(debt.excess(until: 72_000, now: later) == 0)
  }

  @Test func aProgramThatDidNotStallOwesNothing() {
    var debt = Self.debt(after: .milliseconds(20))
    #expect(debt.pause(until: 16_320, now: Self.start + .milliseconds(20)) == .zero)
    #expect(debt.excess(until: 64_000, now: Self.start + .milliseconds(20)) == 0)
  }

  @Test func soundThatComesLongAfterTheFirstIsNoBurst() {
    var debt = Self.debt(after: .seconds(1))
    _ = debt.pause(until: 16_160, now: Self.start)
    #expect(debt.pause(until: 40_000, now: Self.start + .milliseconds(1100)) == .zero)
    #expect(debt.excess(until: 48_000, now: Self.start + .milliseconds(1100)) == 0)
  }

  @Test func whatWaitedTooLongIsNotLeftOutTwice() {
    var debt = Self.debt(after: .seconds(2))
    debt.leftOut(32_000)
    #expect(debt.excess(until: 64_000, now: Self.start) == 0)
  }
}
