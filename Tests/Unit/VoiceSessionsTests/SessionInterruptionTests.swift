import Testing

@testable import VoiceSessions

/// An interrupted microphone, and the functions that need a microphone.
struct SessionInterruptionTests {
  private static let stopping: [Interruption.Reason] = [.deviceBusy, .suspended, .otherSession]

  @Test(arguments: stopping)
  func anInterruptedMicrophoneDoesNotRunAlthoughAudioArrives(reason: Interruption.Reason) throws {
    let run = try ScriptedRun()
    try run.permitInjection(by: "bot")
    try run.send(frames: 2)
    #expect(run.session.state.isInjectionAvailable)
    run.report(.interruption(.began(reason)))
    try run.send(frames: 2)
    #expect(!run.session.state.isInjectionAvailable)
    let refusal = #expect(throws: Refusal.self) {
      try run.session.beginInjection("1", by: "bot")
    }
    #expect(refusal?.reason == "INJECTION_UNAVAILABLE")
    let ignored = try run.press("1")
    #expect(ignored?.outcome == .ignored && !run.session.state.mute.isMuted)

    run.report(.interruption(.ended(nil, shouldResume: true)))
    #expect(run.session.state.isInjectionAvailable)
    try run.session.beginInjection("2", by: "bot")
    let applied = try run.press("2")
    #expect(applied?.outcome == .applied && run.session.state.mute.isMuted)
    let told = run.kinds {
      switch $0 {
      case .interruption, .injectionAvailabilityChanged: true
      default: false
      }
    }
    #expect(
      told == [
        .injectionAvailabilityChanged(true), .interruption(.began(reason)),
        .injectionAvailabilityChanged(false),
        .interruption(.ended(reason, shouldResume: true)), .injectionAvailabilityChanged(true),
      ])
  }

  @Test func anEndWithoutAudioMakesNoMicrophone() throws {
    let run = try ScriptedRun()
    try run.permitInjection(by: "bot")
    try run.send(frames: 1)
    run.report(.interruption(.began(.suspended)))
    run.session.microphoneStopped(sink: run.sink)
    run.report(.interruption(.ended(.suspended, shouldResume: true)))
    #expect(!run.session.state.isInjectionAvailable)
    try run.send(frames: 1)
    #expect(run.session.state.isInjectionAvailable)
  }

  @Test func aHardwareMuteOnlyCausesAnEvent() throws {
    let run = try ScriptedRun()
    try run.permitInjection(by: "bot")
    try run.send(frames: 1)
    let before = run.sink.events.count
    run.report(.interruption(.began(.hardwareMuted)))
    #expect(run.sink.kinds[before...] == [.interruption(.began(.hardwareMuted))])
    #expect(run.session.state.isInjectionAvailable)
    let press = try run.press("1")
    #expect(press?.outcome == .applied)
  }

  @Test func theSilenceOfAHardwareMuteCausesNoWarning() throws {
    let run = try ScriptedRun()
    run.report(.interruption(.began(.hardwareMuted)))
    try run.send(frames: 1000, of: 0)
    #expect(run.sink.kinds == [.interruption(.began(.hardwareMuted))])
    run.report(.interruption(.ended(.hardwareMuted, shouldResume: false)))
    try run.send(frames: 399, of: 0)
    #expect(run.sink.kinds.count == 2)
    try run.send(frames: 1, of: 0)
    #expect(run.sink.kinds.last == .captureWarning(.noSignal, isActive: true))
  }

  @Test func aReportWithoutAChangeCausesNoEvent() throws {
    let run = try ScriptedRun()
    run.report(.interruption(.ended(.suspended, shouldResume: true)))
    run.report(.interruption(.ended(nil, shouldResume: true)))
    #expect(run.sink.events.isEmpty)
    run.report(.interruption(.began(.suspended)))
    run.report(.interruption(.began(.suspended)))
    #expect(run.sink.kinds == [.interruption(.began(.suspended))])
  }

  @Test func theAudioContinuesUnchanged() throws {
    let (plain, interrupted) = (try ScriptedRun(), try ScriptedRun())
    for run in [plain, interrupted] {
      try run.send(frames: 10)
      if run === interrupted { run.report(.interruption(.began(.deviceBusy))) }
      try run.send(frames: 10)
      run.finish()
    }
    #expect(plain.processed == interrupted.processed)
  }
}
