import Testing
import VoiceEngines

@testable import VoiceSessions

/// Route reports, their events, and the effect of headphones.
struct SessionRouteTests {
  @Test func theFirstReportIsAcceptedWithOrWithoutAPreviousRoute() {
    for previous in [nil, AudioRoute.to("lamp")] {
      var history = RouteHistory()
      var report = RouteChange.to("speaker")
      report.previous = previous
      let change = history.accept(report)
      #expect(change == report && history.current == report.current)
    }
  }

  @Test func laterThePreviousRouteIsTheKnownOne() {
    var history = RouteHistory()
    _ = history.accept(.to("speaker"))
    for previous in [nil, AudioRoute.to("lamp")] {
      var report = RouteChange.to(previous == nil ? "headset" : "hdmi")
      let known = history.current
      report.previous = previous
      let change = history.accept(report)
      #expect(change?.previous == known && change?.current == report.current)
    }
    let lost = history.accept(RouteChange(reason: .noSuitableRoute, current: nil))
    #expect(lost?.previous == .to("hdmi") && history.current == nil)
    let again = history.accept(RouteChange(reason: .noSuitableRoute, current: nil))
    #expect(again == nil)
    let found = history.accept(.to("speaker"))
    #expect(found?.previous == nil && found?.current == .to("speaker"))
  }

  @Test func aFirstReportOfAnotherConfigurationIsNoNewWay() {
    var history = RouteHistory()
    _ = history.accept(RouteChange(reason: .configurationChange, current: .to("speaker")))
    #expect(!history.isNewWay)
    _ = history.accept(.to("hdmi"))
    #expect(history.isNewWay)
    history = RouteHistory()
    _ = history.accept(.to("speaker"))
    #expect(history.isNewWay)
  }

  @Test func aFirstReportIsComparedWithTheRouteThatItNamesAsThePreviousOne() {
    for reason in RouteChange.Reason.allCases {
      for previous in ["speaker", "lamp"] {
        var history = RouteHistory()
        _ = history.accept(
          RouteChange(reason: reason, previous: .to(previous), current: .to("speaker")))
        #expect(history.isNewWay == (previous == "lamp"), "\(reason)")
      }
    }
  }

  @Test func aRouteIsReportedOnceAndShown() throws {
    let run = try ScriptedRun()
    try run.send(frames: 3)
    run.route(to: "speaker")
    run.route(to: "speaker")
    #expect(run.session.state.route == .to("speaker"))
    #expect(run.sink.kinds == [.routeChanged(.to("speaker"))])
    let sample = run.sink.events.last?.microphoneSample
    #expect(sample == 480)
  }

  @Test func theSamePortWithHeadphonesInItIsAnotherRoute() throws {
    let run = try ScriptedRun()
    run.route(to: "jack")
    run.route(to: "jack", isHeadphones: true)
    #expect(run.sink.events.count == 2)
    #expect(run.session.state.route == .to("jack", isHeadphones: true))
  }

  @Test func headphonesPauseOnlyEchoCancellation() throws {
    let run = try ScriptedRun(engine: AttentiveEngine.self)
    let engine = try #require(run.session.capture.engine as? AttentiveEngine)
    let configured = engine.settings
    #expect(configured.echoSuppression == .moderate)
    run.route(to: "headset", isHeadphones: true)
    var resting = configured
    resting.echoSuppression = nil
    #expect(engine.settings == resting)
    #expect(run.session.state.configuration.resolved.voiceProcessing.echoCancellation != .off)
    run.configure { $0.preferredMicMode = .voiceIsolation }
    #expect(engine.settings.echoSuppression == nil && engine.settings.isolatesVoice)
    run.route(to: "speaker")
    #expect(engine.settings == MicMode.voiceIsolation.settings)
  }

  @Test func aDisabledStageStaysOffWithoutHeadphonesToo() throws {
    let setup = ScriptedRun.setup { $0.configuration.voiceProcessing.echoCancellation = .off }
    let run = try ScriptedRun(setup, engine: AttentiveEngine.self)
    let engine = try #require(run.session.capture.engine as? AttentiveEngine)
    for id in ["speaker", "hdmi"] {
      run.route(to: "headset", isHeadphones: true)
      run.route(to: id)
      #expect(engine.settings.echoSuppression == nil)
    }
  }

  @Test func anEquivalentRouteLeavesTheEngineUnchanged() throws {
    let run = try ScriptedRun(engine: AttentiveEngine.self)
    let engine = try #require(run.session.capture.engine as? AttentiveEngine)
    run.route(to: "speaker")
    run.route(to: "hdmi")
    #expect(engine.changes == 0)
    run.route(to: "headset", isHeadphones: true)
    run.route(to: "other headset", isHeadphones: true)
    #expect(engine.changes == 1)
    run.report(.route(RouteChange(reason: .noSuitableRoute, current: nil)))
    #expect(engine.changes == 2 && engine.settings.echoSuppression == .moderate)
  }

  @Test(arguments: [true, false])
  func withHeadphonesAMissingReferenceCausesNoWarning(isAnnounced: Bool) throws {
    let setup = ScriptedRun.setup {
      $0.otherAudio = nil
      $0.playback = nil
      if isAnnounced { $0.reference = .f32(ScriptedRun.rate) }
    }
    let run = try ScriptedRun(setup)
    try run.send(frames: 200, farEnd: 0.3)
    let begun = SessionEvent.Kind.captureWarning(.noReference, isActive: true)
    let over = SessionEvent.Kind.captureWarning(.noReference, isActive: false)
    var warnings: [SessionEvent.Kind] { run.kinds { $0 == begun || $0 == over } }
    #expect(warnings == [begun])
    run.route(to: "headset", isHeadphones: true)
    try run.send(frames: 100, farEnd: 0.3)
    #expect(warnings == [begun, over])
    let missing = run.session.statistics.flow.referenceFramesMissing
    try run.send(frames: 500, farEnd: 0.3)
    #expect(warnings == [begun, over])
    // The session does not wait for a reference.
    #expect(run.session.position == 800 * 160)
    #expect(run.session.statistics.flow.referenceFramesMissing == missing)
    run.route(to: "speaker")
    try run.send(frames: 200, farEnd: 0.3)
    #expect(warnings == [begun, over, begun])
  }

  @Test func tooManyReportsAreRefusedAndTheControlsAreNot() throws {
    let run = try ScriptedRun()
    let burst = ControlBudget.deviceReports.burst
    for index in 0..<burst + 5 { run.route(to: "\(index)") }
    #expect(run.sink.events.count == burst)
    #expect(run.session.state.route == .to("\(burst - 1)"))
    #expect(run.sink.results.map(\.id) == [0, 0, 0, 0, 0])
    #expect(run.sink.results.allSatisfy { $0.refusal?.reason == "TOO_MANY_REPORTS" })
    run.mute(true)
    #expect(run.sink.results.last?.refusal == nil && run.session.state.mute.isMuted)
    try run.send(frames: 9)
    run.route(to: "early")
    #expect(run.session.state.route == .to("\(burst - 1)"))
    try run.send(frames: 1)
    run.route(to: "in time")
    #expect(run.session.state.route == .to("in time"))
  }
}
