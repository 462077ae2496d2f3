import Foundation
import Testing

@testable import VoiceServer

/// The load that a server reports, without a clock.
struct ServerLoadTests {
  private let budget = FrameBudget(share: 0.8)

  private func thread(
    _ sessions: Int, predicted: Double, load: Double, isOverloaded: Bool = false
  ) -> ThreadReport.Reading {
    ThreadReport.Reading(
      thread: 0, sessions: sessions, predicted: predicted, load: load, isOverloaded: isOverloaded)
  }

  @Test func theTakenPartIsTheOneThatAdmissionUses() {
    #expect(abs(budget.taken(thread(10, predicted: 0.4, load: 0.2)) - 0.5) < 1e-9)
    #expect(abs(budget.taken(thread(10, predicted: 0.4, load: 0.6)) - 0.75) < 1e-9)
    #expect(budget.taken(thread(1, predicted: 0.1, load: 0.1, isOverloaded: true)) == 1)
    #expect(budget.taken(thread(0, predicted: 0, load: 0.9)) == 0)
    #expect(FrameBudget(share: 0).taken(thread(9, predicted: 0.9, load: 0.9)) == 0)
  }

  @Test func aThreadIsFullWhenItRefusesASessionLikeTheOthers() {
    // Ten sessions need 0.07 each, so that an eleventh fits and a twelfth does not.
    #expect(!budget.isFull(thread(10, predicted: 0.4, load: 0.7)))
    #expect(budget.isFull(thread(11, predicted: 0.44, load: 0.77)))
    #expect(budget.isFull(thread(10, predicted: 0.4, load: 0.7), margin: 0.05))
    #expect(budget.isFull(thread(1, predicted: 0.01, load: 0.9, isOverloaded: true)))
    #expect(!FrameBudget(share: 0).isFull(thread(50, predicted: 0.9, load: 1)))
  }

  @Test func aFullServerHasRoomAgainAfterItHadSomeForAWhile() {
    var rule = FullnessRule()
    let start = ContinuousClock.now
    func record(_ seconds: Int, isFull: Bool, hasRoom: Bool) -> Bool {
      rule.record(isFull: isFull, hasRoom: hasRoom, now: start + .seconds(seconds))
    }
    #expect(!record(0, isFull: false, hasRoom: true))
    // Less room than the margin does not make it full, and does not end it.
    #expect(!record(1, isFull: false, hasRoom: false))
    #expect(record(2, isFull: true, hasRoom: false))
    #expect(record(20, isFull: false, hasRoom: false))
    #expect(record(21, isFull: false, hasRoom: true))
    #expect(record(25, isFull: false, hasRoom: true))
    #expect(record(26, isFull: true, hasRoom: false))
    #expect(record(27, isFull: false, hasRoom: true))
    #expect(record(31, isFull: false, hasRoom: true))
    #expect(!record(32, isFull: false, hasRoom: true))
  }

  @Test func aThreadThatIsSilentHasNoLoad() {
    let report = ThreadReport(thread: 3)
    let now = ContinuousClock.now
    report.publish(
      sessions: 2, predicted: 0.1, load: 0.9, lateness: .seconds(4), isOverloaded: true, now: now)
    let reading = report.current(at: now + .seconds(1))
    #expect(reading.load == 0.9 && reading.lateness == .seconds(4) && reading.isOverloaded)
    let later = report.current(at: now + .seconds(6))
    #expect(later.load == 0 && later.lateness == .zero && !later.isOverloaded)
    #expect(later.sessions == 2 && later.predicted == 0.1)
  }

  @Test(.enabled(if: FileManager.default.isReadableFile(atPath: "/proc/thread-self/schedstat")))
  func aThreadThatNeverWaitsForWorkHasAFullLoad() {
    // The meter belongs to one thread, so that the test does not suspend.
    var meter = LoadMeter(SchedulerClock.ofThisThread())
    let end = ContinuousClock.now + .milliseconds(1500)
    var periods = 0
    while ContinuousClock.now < end {
      if meter.record(nanoseconds: 0, now: .now) { periods += 1 }
    }
    // Two seconds of smoothing have not passed: 1 - 1 / 1.05 ^ 15.
    let load = meter.load
    #expect(periods > 3 && load > 0.3, "\(periods) periods, load \(load)")
    meter.reset()
    let forgotten = meter.load
    #expect(forgotten == 0)
  }

  @Test func whileSessionsUnderTheMediaClockRunOnlyFramesCount() {
    var meter = LoadMeter(SchedulerClock.ofThisThread())
    let end = ContinuousClock.now + .milliseconds(500)
    while ContinuousClock.now < end {
      _ = meter.record(nanoseconds: 0, onlyFrames: true, now: .now)
    }
    let load = meter.load
    #expect(load == 0)
  }

  @Test func anArrivalIsOverdueFromItsTimeOn() {
    var lag = InputLag()
    let start = ContinuousClock.now
    #expect(lag.overdue(at: start) == nil)
    for index in 1...10 {
      _ = lag.record(
        media: Int64(index) * 20_000_000, samples: 320,
        now: start + .milliseconds(20) * index)
    }
    let last = start + .milliseconds(200)
    #expect(lag.overdue(at: last + .milliseconds(15)) == .zero)
    #expect(lag.overdueEver(at: last + .milliseconds(70)) == .milliseconds(50))
    #expect(lag.overdue(at: last + .seconds(17)) == .seconds(17) - .milliseconds(20))
  }
}
