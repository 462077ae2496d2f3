import AcousticSimulator
import AudioCore
import TestAudio
import Testing

@testable import VoiceSessions

/// The events about the echo path and the clocks of the devices.
struct EchoEventTests {
  @Test func theEchoPathIsReportedWhenFoundAndWhenConverged() async throws {
    let run = try EchoRun(
      EchoRun.scene(lag: 0.25), farEnd: try await Voices.far(seconds: 8))
    try run.run()
    #expect(run.echoPaths.map(\.hasConverged) == [false, true])
    #expect(run.echoPaths.allSatisfy { abs($0.milliseconds - 250) < 2 && $0.at < 3 })
  }

  @Test(arguments: [(0.3, 0.1), (0.3, -0.2), (0.3, -0.29), (0.1, 0.85)])
  func theEchoPathIsReportedWhenItJumps(lag: Double, jump: Double) async throws {
    let run = try EchoRun(
      EchoRun.scene(lag: lag) { $0.jumps = [(6, jump)] },
      farEnd: try await Voices.far(seconds: 14))
    try run.run()
    let after = run.echoPaths.filter { $0.at > 6 }
    #expect(after.first?.hasConverged == false && after.last?.hasConverged == true, "\(after)")
    #expect(
      after.allSatisfy { abs($0.milliseconds - (lag + jump) * 1000) < 2 && $0.at < 10 }, "\(after)")
    #expect(run.reduction(9..<14) > 20, "\(run.reduction(9..<14))")
  }

  /// The canceller follows a jump to another lag that it reaches, without a report.
  @Test(arguments: [(0.03, -0.018), (0.01, 0.025)])
  func aShortJumpIsFollowed(lag: Double, jump: Double) async throws {
    let run = try EchoRun(
      EchoRun.scene(lag: lag) { $0.jumps = [(6, jump)] },
      farEnd: try await Voices.far(seconds: 14))
    try run.run()
    #expect(run.reduction(8..<14) > 20, "\(run.reduction(8..<14))")
  }

  /// An echo that is heard before its reference arrives cannot be removed until it comes later.
  @Test func residualEchoCausesAWarningUntilItEnds() async throws {
    let run = try EchoRun(
      EchoRun.scene(lag: -0.15) { $0.jumps = [(10, 0.3)] },
      farEnd: try await Voices.far(seconds: 20))
    try run.run()
    let changes = run.sink.events.filter {
      $0.kind == .captureWarning(.residualEcho, isActive: true)
        || $0.kind == .captureWarning(.residualEcho, isActive: false)
    }
    try #require(changes.count == 2, "\(changes)")
    let seconds = changes.map { Double($0.microphoneSample) / Double(run.rate.hertz) }
    #expect(seconds[0] < 10 && seconds[1] > 10 && seconds[1] < 16, "\(seconds)")
  }

  @Test(arguments: [0, 0.3])
  func aRemovedEchoCausesNoWarning(lag: Double) async throws {
    let run = try EchoRun(
      EchoRun.scene(lag: lag), farEnd: try await Voices.far(seconds: 18),
      near: try await Voices.near(after: 6))
    try run.run()
    #expect(run.warnings(.residualEcho).isEmpty)
  }

  /// The output has the whole echo, as was asked for.
  @Test func anEchoThatIsBypassedCausesNoWarningAndTakesNoVoice() async throws {
    func run(bypassed: Bool) async throws -> EchoRun {
      let near = try await Voices.near.value
      let run = try EchoRun(
        EchoRun.scene(lag: 0.2), farEnd: try await Voices.far(seconds: 24),
        near: Signals.silence(10 * 16_000) + near + near
      ) { $0.configuration.voiceProcessing.isBypassed = bypassed }
      try run.run()
      return run
    }
    let (bypassed, processed) = (
      try await run(bypassed: true), try await run(bypassed: false)
    )
    #expect(bypassed.warnings(.residualEcho).isEmpty)
    #expect(bypassed.voiceStarts == processed.voiceStarts)
  }

  /// Headphones without a report: there is no echo, and somebody talks.
  @Test func aVoiceWithoutEchoCausesNoWarning() async throws {
    let near = try await Voices.near.value
    let run = try EchoRun(
      EchoRun.scene(lag: 0.2) { $0.echoReturnLoss = 200 },
      farEnd: try await Voices.far(seconds: 18), near: near + near + near)
    try run.run()
    #expect(run.warnings(.residualEcho).isEmpty)
  }

  /// An echo below -60 dBFS is inaudible.
  @Test func anEchoThatNobodyHearsHasConverged() async throws {
    let run = try EchoRun(
      EchoRun.scene(lag: 0.2) {
        $0.echoReturnLoss = 50
        $0.noiseLevel = -95
      }, farEnd: try await Voices.far(seconds: 10))
    try run.run()
    #expect(run.session.statistics.hasConverged)
  }

  @Test func aDriftDoesNotCountAsJump() async throws {
    let run = try EchoRun(
      EchoRun.scene(lag: 0.2) { $0.driftPPM = 400 }, farEnd: try await Voices.far(seconds: 15))
    try run.run()
    #expect(run.echoPaths.map(\.hasConverged) == [false, true], "\(run.echoPaths)")
  }

  @Test func withoutEchoNoEchoPathIsReported() async throws {
    let run = try EchoRun(
      EchoRun.scene(lag: 0.2) { $0.echoReturnLoss = 200 },
      farEnd: try await Voices.far(seconds: 10), near: try await Voices.near(after: 1))
    try run.run()
    #expect(run.echoPaths.isEmpty, "\(run.echoPaths)")
    let statistics = run.session.statistics
    #expect(statistics.echoDelay == nil && statistics.driftPPM == nil && !statistics.hasConverged)
  }

  @Test func convergenceIsFalseBeforeAndTrueAfter() async throws {
    let run = try EchoRun(
      EchoRun.scene(lag: 0.4) { $0.jumps = [(7, -0.15)] },
      farEnd: try await Voices.far(seconds: 12))
    try run.run()
    // There are ten statistics a second.
    let converged = run.sink.statistics.map(\.hasConverged)
    let delays = run.sink.statistics.map { $0.echoDelay.map { $0 / .milliseconds(1) } }
    #expect(converged.prefix(4).allSatisfy { !$0 } && delays.prefix(4).allSatisfy { $0 == nil })
    #expect(converged[35..<70].allSatisfy { $0 })
    #expect(delays[35..<70].allSatisfy { abs(($0 ?? 0) - 400) < 2 }, "\(delays[35..<70])")
    #expect(converged[70..<90].contains(false) && converged.suffix(10).allSatisfy { $0 })
    #expect(delays.suffix(20).allSatisfy { abs(($0 ?? 0) - 250) < 2 }, "\(delays.suffix(20))")
  }

  @Test func goodClocksCauseNoWarning() async throws {
    let run = try EchoRun(
      EchoRun.scene(lag: 0.3) { $0.driftPPM = 450 }, farEnd: try await Voices.far(seconds: 12))
    run.tellTimes()
    try run.run()
    #expect(run.warnings(.unsteadyClocks).isEmpty)
  }

  @Test(arguments: [5000.0, -5000, 2500, -1500])
  func anExcessiveDriftCausesAWarning(ppm: Double) async throws {
    for hasTimes in [false, true] {
      let run = try EchoRun(
        EchoRun.scene(lag: 0.3) { $0.driftPPM = ppm }, farEnd: try await Voices.far(seconds: 18))
      if hasTimes { run.tellTimes() }
      try run.run()
      withKnownIssue("2,500 ppm without times cause no warning, 2,000, 3,000 and 5,000 do") {
        #expect(
          run.warnings(.unsteadyClocks).first == .captureWarning(.unsteadyClocks, isActive: true),
          "\(hasTimes ? "with" : "without") times")
      } when: {
        ppm == 2500 && !hasTimes
      }
    }
  }

  @Test func contradictoryTimesCauseAWarningUntilTheyAgree() async throws {
    let run = try EchoRun(
      EchoRun.scene(lag: 0.3), farEnd: try await Voices.far(seconds: 18))
    run.tellTimes()
    let honest = run.captureTime
    run.captureTime = { seconds in
      guard (4..<8).contains(seconds) else { return honest(seconds) }
      return .milliseconds(Int(seconds * 7919) % 5000)
    }
    try run.run()
    #expect(
      run.warnings(.unsteadyClocks) == [
        .captureWarning(.unsteadyClocks, isActive: true),
        .captureWarning(.unsteadyClocks, isActive: false),
      ])
    #expect(run.reduction(3..<18) > 25, "\(run.reduction(3..<18))")
  }

  @Test func timesThatDriftDifferentlyFromTheAudioCauseAWarning() async throws {
    let run = try EchoRun(
      EchoRun.scene(lag: 0.3), farEnd: try await Voices.far(seconds: 18))
    run.captureTime = { .seconds($0) }
    run.playbackTime = { .seconds(0.3 + $0 * 1.0003) }
    try run.run()
    #expect(
      run.warnings(.unsteadyClocks).first == .captureWarning(.unsteadyClocks, isActive: true))
    #expect(run.reduction(4..<18) > 25, "\(run.reduction(4..<18))")
    let drift = try #require(run.session.statistics.driftPPM)
    #expect(abs(drift) < 20, "\(drift)")
  }

  /// A clock that jumps back and forth, by less than an impossible amount.
  @Test(arguments: [0.03, 0.1, 0.3], [0.5, 1])
  func alternatingTimesCauseAWarningAndTheAudioDecides(
    jump: Double, period: Double
  ) async throws {
    let run = try EchoRun(
      EchoRun.scene(lag: 0.4), farEnd: try await Voices.far(seconds: 14),
      near: try await Voices.near(after: 8))
    run.tellTimes()
    let honest = run.playbackTime
    run.playbackTime = { seconds in
      honest(seconds).map { $0 + .seconds(Int(seconds / period) % 2 == 0 ? 0 : jump) }
    }
    try run.run()
    #expect(
      run.warnings(.unsteadyClocks).first == .captureWarning(.unsteadyClocks, isActive: true))
    #expect(run.reduction(4..<8) > 25, "\(run.reduction(4..<8))")
    #expect(run.voiceShare(8..<12) > 0.45, "\(run.voiceShare(8..<12))")
    let delay = try #require(run.session.statistics.echoDelay)
    #expect(abs(delay / .milliseconds(1) - 400) < 2, "\(delay)")
  }
}
