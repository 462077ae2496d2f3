import AcousticSimulator
import AudioCore
import TestAudio
import Testing
import VoiceEngines

@testable import VoiceSessions

/// The echo after a change of the route, with the real engine.
struct EchoRouteTests {
  /// Another loudspeaker in another room, nearer or farther than the first one.
  @Test(arguments: [-0.25, 0, 0.4])
  func theEchoIsFoundAndRemovedAgainOnAnotherRoute(jump: Double) async throws {
    let scene = EchoRun.scene(lag: 0.3) {
      $0.jumps = [(6, jump)]
      $0.roomChanges = [(6, .close)]
    }
    let run = try EchoRun(scene, farEnd: try await Voices.far(seconds: 14))
    try run.run { frame in
      if frame == 600 { run.route(to: "hdmi") }
    }
    let after = run.echoPaths.filter { $0.at > 6 }
    #expect(after.first.map { $0.at < 6.8 && !$0.hasConverged } == true, "\(after)")
    #expect(after.last?.hasConverged == true, "\(after)")
    #expect(after.allSatisfy { abs($0.milliseconds - 300 - jump * 1000) < 3 }, "\(after)")
    #expect(run.reduction(3..<6) > 25, "\(run.reduction(3..<6))")
    #expect(run.reduction(7..<14) > 25, "\(run.reduction(7..<14))")
  }

  /// The new echo is as late as the old one.
  @Test(arguments: [0.12, 0.6])
  func untilTheEchoIsFoundTheReferenceKeepsItsPosition(lag: Double) async throws {
    let scene = EchoRun.scene(lag: lag) { $0.roomChanges = [(6, .close)] }
    let run = try EchoRun(scene, farEnd: try await Voices.far(seconds: 9))
    try run.run { frame in
      if frame == 600 { run.route(to: "hdmi") }
    }
    #expect(run.reduction(6.4..<7.4) > 10, "\(run.reduction(6.4..<7.4))")
  }

  @Test func aReportedRouteHasItsEchoFoundSooner() async throws {
    func found(isReported: Bool) async throws -> Double? {
      let scene = EchoRun.scene(lag: 0.3) { $0.jumps = [(6, -0.25)] }
      let run = try EchoRun(scene, farEnd: try await Voices.far(seconds: 9))
      try run.run { frame in
        if frame == 600, isReported { run.route(to: "hdmi") }
      }
      return run.echoPaths.first { $0.at > 6 }?.at
    }
    let (reported, unreported) = (
      try #require(try await found(isReported: true)),
      try #require(try await found(isReported: false))
    )
    #expect(reported < unreported - 0.3, "\(reported), \(unreported)")
  }

  @Test func theEchoPathIsForgottenAtOnce() async throws {
    let run = try EchoRun(EchoRun.scene(lag: 0.3), farEnd: try await Voices.far(seconds: 7))
    var before: SessionStatistics?
    var after: SessionStatistics?
    try run.run { frame in
      guard frame == 600 else { return }
      before = run.session.statistics
      run.route(to: "hdmi")
      after = run.session.statistics
    }
    #expect(before?.hasConverged == true && before?.echoDelay != nil)
    #expect(after?.hasConverged == false && after?.echoDelay == nil)
  }

  /// No echo tells how well the canceller fits another path.
  @Test func whileNothingPlaysOnAnotherRouteTheCancellerHasNotConverged() async throws {
    let far = try await Voices.far(seconds: 6) + Signals.silence(5 * 16_000)
    let run = try EchoRun(EchoRun.scene(lag: 0.3), farEnd: far)
    var hasConverged: [Bool] = []
    try run.run { frame in
      if frame == 750 { run.route(to: "hdmi") }
      if frame >= 700 { hasConverged.append(run.session.statistics.hasConverged) }
    }
    #expect(hasConverged[..<50].allSatisfy(\.self) && !hasConverged[51...].contains(true))
  }

  @Test func aRouteThatIsThereAgainHasItsEchoWhereItWas() async throws {
    let run = try EchoRun(EchoRun.scene(lag: 0.3), farEnd: try await Voices.far(seconds: 8))
    try run.run { frame in
      if frame == 200 { run.route(to: "usb") }
      if frame == 600 { run.noRoute() }
      if frame == 620 { run.route(to: "usb") }
    }
    #expect(!run.echoPaths.contains { $0.at >= 6 }, "\(run.echoPaths)")
    #expect(run.session.statistics.hasConverged == true)
    #expect(run.reduction(6.2..<8) > 25, "\(run.reduction(6.2..<8))")
  }

  /// The echo here would not exist with headphones. It shows that nothing removes it.
  @Test func withHeadphonesEchoCancellationRestsAndThenWorksAgain() async throws {
    let run = try EchoRun(EchoRun.scene(lag: 0.3), farEnd: try await Voices.far(seconds: 16))
    var found: [EchoMetrics] = []
    try run.run { frame in
      if frame == 500 { run.route(to: "headset", isHeadphones: true) }
      if frame == 900 { run.route(to: "speaker") }
      if [499, 700].contains(frame) { found.append(run.session.statistics.echo) }
    }
    #expect(found[0].echoReturnLossEnhancement != nil && found[1] == EchoMetrics())
    #expect(run.reduction(3..<5) > 25, "\(run.reduction(3..<5))")
    #expect(abs(run.reduction(5.1..<9)) < 1, "\(run.reduction(5.1..<9))")
    #expect(run.reduction(12..<16) > 25, "\(run.reduction(12..<16))")
    #expect(!run.echoPaths.contains { (5..<9).contains($0.at) }, "\(run.echoPaths)")
    #expect(run.echoPaths.last.map { $0.at > 9 && $0.hasConverged } == true, "\(run.echoPaths)")
    // The cross-fade adds no step.
    #expect(run.excess(4.8..<9.5) < 1, "\(run.excess(4.8..<9.5))")
  }

  /// The engine goes on learning, and keeps the figures of before.
  @Test(arguments: [true, false])
  func figuresOfACancellerThatIsNotHeardAreNotTold(isBypassed: Bool) async throws {
    let run = try EchoRun(EchoRun.scene(lag: 0.3), farEnd: try await Voices.far(seconds: 8))
    var found: [SessionStatistics] = []
    try run.run { frame in
      if [499, 620, 799].contains(frame) { found.append(run.session.statistics) }
      guard frame == 500 || frame == 640 else { return }
      let isOn = frame == 640
      let control = SessionControl(
        id: 1, by: .mediaClient,
        .edit {
          $0.voiceProcessing.isBypassed = isBypassed && !isOn
          $0.voiceProcessing.echoCancellation = isBypassed || isOn ? nil : .off
        })
      run.session.submit(control, sink: run.sink)
    }
    #expect(found.map { $0.echo.echoReturnLossEnhancement != nil } == [true, false, true])
    #expect(found.map(\.hasConverged) == [true, false, true])
    #expect(found[1].residualEcho == nil)
    #expect((found[1].echo.echoReturnLoss != nil) == isBypassed)
  }

  @Test func withHeadphonesAVoiceIsFoundWhileTheFarEndTalks() async throws {
    let run = try EchoRun(
      EchoRun.scene(lag: 0.3) { $0.echoReturnLoss = 200 },
      farEnd: try await Voices.far(seconds: 5), near: try await Voices.near(after: 0.5))
    run.route(to: "headset", isHeadphones: true)
    try run.run()
    #expect((run.voiceStarts.first ?? 9) < 1, "\(run.voiceStarts)")
  }
}

extension EchoRun {
  func route(to id: String, isHeadphones: Bool = false) {
    session.submit(.route(.to(id, isHeadphones: isHeadphones)), sink: sink)
  }

  fileprivate func noRoute() {
    session.submit(.route(RouteChange(reason: .deviceLost, current: nil)), sink: sink)
  }
}
