import Testing

@testable import VoiceServer

/// The rules about the load of a thread, without a clock.
struct FrameBudgetTests {
  /// A session's predicted load, the predicted and the measured load of the running sessions, and their
  /// number.
  struct Case: Sendable {
    var share = 0.8
    var session: Double
    var predicted: Double
    var measured: Double
    var running: Int
    var isAdmitted: Bool
  }

  @Test(arguments: [
    // A thread takes one session, whatever it needs, but no second one.
    Case(session: 1.5, predicted: 0, measured: 0, running: 0, isAdmitted: true),
    Case(session: 0.1, predicted: 1.5, measured: 0.9, running: 1, isAdmitted: false),
    // Sessions that have just started have not been measured.
    Case(session: 0.1, predicted: 0.7, measured: 0, running: 7, isAdmitted: true),
    Case(session: 0.11, predicted: 0.7, measured: 0, running: 7, isAdmitted: false),
    // Sessions that need twice as much as predicted.
    Case(session: 0.1, predicted: 0.3, measured: 0.6, running: 3, isAdmitted: true),
    Case(session: 0.11, predicted: 0.3, measured: 0.6, running: 3, isAdmitted: false),
    // Sessions that need less than predicted, for example because their clients are silent.
    Case(session: 0.1, predicted: 0.75, measured: 0.2, running: 7, isAdmitted: false),
    // While the engine's time is not known, a session is expected to need what the others need.
    Case(session: 0, predicted: 0, measured: 0.6, running: 3, isAdmitted: true),
    Case(session: 0, predicted: 0, measured: 0.7, running: 3, isAdmitted: false),
    Case(session: 0, predicted: 0, measured: 0, running: 3, isAdmitted: true),
    Case(share: 0, session: 1, predicted: 5, measured: 1, running: 9, isAdmitted: true),
  ])
  func aSessionIsAdmittedIfItFits(_ test: Case) {
    let isAdmitted = FrameBudget(share: test.share).admits(
      test.session, predicted: test.predicted, measured: test.measured, running: test.running)
    #expect(isAdmitted == test.isAdmitted)
  }

  /// Periods with a load and a lateness in milliseconds, and the step that the last of them causes.
  struct Periods: Sendable {
    var count: Int
    var load: Double
    var late: Int
    var step: OverloadRule.Step?
  }

  @Test(arguments: [
    // Half a second of late frames steps down, ten seconds of ease step up.
    [
      Periods(count: 4, load: 0.9, late: 60),
      Periods(count: 1, load: 0.9, late: 60, step: .reduced),
      Periods(count: 99, load: 0.4, late: 0), Periods(count: 1, load: 0.4, late: 0, step: .full),
    ],
    // A moment on time starts the half second again.
    [
      Periods(count: 4, load: 0.9, late: 60), Periods(count: 1, load: 0.9, late: 40),
      Periods(count: 4, load: 0.9, late: 60),
      Periods(count: 1, load: 0.9, late: 60, step: .reduced),
    ],
    // Late clients on an idle thread are late themselves. A busy thread may be on time.
    [Periods(count: 1000, load: 0.6, late: 500), Periods(count: 1000, load: 0.99, late: 49)],
    // A thread between ease and overload stays as it is.
    [
      Periods(count: 5, load: 0.9, late: 60, step: .reduced),
      Periods(count: 99, load: 0.4, late: 0), Periods(count: 1, load: 0.5, late: 0),
      Periods(count: 99, load: 0.4, late: 0), Periods(count: 1, load: 0.4, late: 20),
      Periods(count: 99, load: 0.4, late: 0), Periods(count: 1, load: 0.4, late: 19, step: .full),
    ],
    // A step up that does not last doubles the time until the next one.
    [
      Periods(count: 5, load: 0.9, late: 60, step: .reduced),
      Periods(count: 100, load: 0.4, late: 0, step: .full),
      Periods(count: 5, load: 0.9, late: 60, step: .reduced),
      Periods(count: 199, load: 0.4, late: 0), Periods(count: 1, load: 0.4, late: 0, step: .full),
      Periods(count: 200, load: 0.6, late: 0),
      Periods(count: 5, load: 0.9, late: 60, step: .reduced),
      Periods(count: 100, load: 0.4, late: 0, step: .full),
    ],
  ])
  func sessionsStepDownAndUp(_ periods: [Periods]) {
    var rule = OverloadRule(share: 0.8)
    for (index, period) in periods.enumerated() {
      for number in 1...period.count {
        let step = rule.record(load: period.load, lateness: .milliseconds(period.late))
        #expect(
          step == (number == period.count ? period.step : nil), "\(index): period \(number)")
      }
    }
  }

  @Test func noStepIsTakenWithoutABudget() {
    var rule = OverloadRule(share: 0)
    for _ in 0..<1000 { #expect(rule.record(load: 1, lateness: .seconds(5)) == nil) }
  }

  @Test func theLoadIsTheShareOfTheTimeInFrames() {
    var meter = LoadMeter()
    var now = ContinuousClock.now
    func run(seconds: Int, load: Double) -> Int {
      var periods = 0
      for _ in 0..<seconds * 100 {
        now += .milliseconds(10)
        if meter.record(nanoseconds: Int64(load * 10_000_000), now: now) { periods += 1 }
      }
      return periods
    }
    let periods = run(seconds: 20, load: 0.5)
    #expect((190...200).contains(periods) && abs(meter.load - 0.5) < 0.01, "\(meter.load)")
    _ = run(seconds: 2, load: 0.1)
    #expect((0.2...0.3).contains(meter.load), "\(meter.load)")
  }
}
