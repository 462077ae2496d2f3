import Testing

@testable import anechoic_bridge

/// The rule that keeps a telephone call to real time.
struct MediaBudgetTests {
  private static let block = 0.02

  /// Returns which of `count` blocks that come at once are admitted.
  private static func burst(
    _ budget: inout MediaBudget, _ count: Int, at now: ContinuousClock.Instant
  ) -> [Bool] {
    budget.begin(burst: Double(count) * block, longest: block, at: now)
    return (0..<count).map { _ in budget.admits(block, at: now) }
  }

  /// Returns a budget whose audio stood still for 200 ms, of which five blocks were replaced.
  private static func stalled(_ now: inout ContinuousClock.Instant) -> MediaBudget {
    var budget = MediaBudget(now: now)
    for _ in 0..<50 {
      _ = burst(&budget, 1, at: now)
      now += .milliseconds(20)
    }
    now += .milliseconds(100)
    for _ in 0..<5 {
      now += .milliseconds(20)
      budget.replace(block, at: now)
    }
    return budget
  }

  /// The blocks that silence replaced are the first ones. The others have their places.
  @Test func theAudioThatWasReplacedIsLeftOut() {
    var now = ContinuousClock.now
    var budget = Self.stalled(&now)
    let admitted = Self.burst(&budget, 10, at: now)
    #expect(admitted == [Bool](repeating: false, count: 5) + [Bool](repeating: true, count: 5))
  }

  @Test func aBurstMayComeInParts() {
    var now = ContinuousClock.now
    var budget = Self.stalled(&now)
    #expect(Self.burst(&budget, 4, at: now) == [false, false, false, true])
    #expect(Self.burst(&budget, 6, at: now) == [false, false, true, true, true, true])
  }

  /// An exchange that sends no silence has nothing late.
  @Test func audioAfterAPauseIsNotLate() {
    var now = ContinuousClock.now
    var budget = Self.stalled(&now)
    for _ in 0..<20 {
      #expect(Self.burst(&budget, 1, at: now) == [true])
      now += .milliseconds(20)
    }
    #expect(Self.burst(&budget, 2, at: now) == [true, true])
  }

  /// An exchange that sends no silence, and two blocks at a time, loses at most one block of a word.
  @Test func pairsOfBlocksAfterAPauseAreNotLate() {
    var now = ContinuousClock.now
    var budget = Self.stalled(&now)
    var refusals = Self.burst(&budget, 2, at: now).count { !$0 }
    for _ in 0..<10 {
      now += .milliseconds(40)
      refusals += Self.burst(&budget, 2, at: now).count { !$0 }
    }
    #expect(refusals <= 1)
  }

  @Test func aCallStaysInRealTime() {
    let start = ContinuousClock.now
    var budget = MediaBudget(now: start)
    // A burst of half a second is admitted, more is not.
    let admissions = (0..<26).map { _ in budget.admits(0.02, at: start) }
    #expect(admissions == [Bool](repeating: true, count: 25) + [false])
    // A telephone that is 0.05 % too fast loses nothing in a day.
    var refusals = 0
    for block in 1...4_320_000 {
      let time = start + .seconds(Double(block) * 0.02 / 1.0005)
      if !budget.admits(0.02, at: time) { refusals += 1 }
    }
    #expect(refusals == 0)
  }
}
