import Testing

@testable import Authentication

/// When keys are fetched, on a virtual clock.
struct KeyFetchScheduleTests {
  private let start = ContinuousClock.now
  private var schedule = KeyFetchSchedule(interval: .seconds(600))

  @Test func theFirstFetchIsAtOnceAndRepeatedSoonUntilItSucceeds() {
    var schedule = schedule
    #expect(schedule.wait(at: start) == .zero)
    schedule.ended(withKeys: false, at: start)
    #expect(schedule.wait(at: start) == .seconds(5))
    #expect(schedule.wait(at: start + .seconds(4)) == .seconds(1))
    schedule.ended(withKeys: true, at: start)
    #expect(schedule.wait(at: start) == .seconds(600))
    #expect(schedule.wait(at: start + .seconds(700)) == .zero)
  }

  @Test func aFailedFetchIsRepeatedAfterAMinuteWhenThereAreKeys() {
    var schedule = schedule
    schedule.ended(withKeys: true, at: start)
    schedule.ended(withKeys: false, at: start + .seconds(600))
    #expect(schedule.wait(at: start + .seconds(600)) == .seconds(60))
  }

  @Test func unknownKeysStartAFetchOnceAMinute() {
    var schedule = schedule
    let mayStartWithoutKeys = schedule.startForToken(at: start)
    #expect(!mayStartWithoutKeys, "the first fetch is on its way")
    schedule.ended(withKeys: true, at: start)
    var started = 0
    for second in 0..<180 where schedule.startForToken(at: start + .seconds(second)) {
      started += 1
    }
    #expect(started == 3)
  }
}
