import Testing

@testable import VoiceSessions

/// Press to mute on the session's clock.
struct SessionGestureTests {
  @Test func anAppliedPressMutesPlaysTheChimeAndNotifiesEveryone() throws {
    let run = try ScriptedRun()
    try run.send(frames: 1, of: 0)
    let result = try #require(try run.press("1"))
    let state = run.session.state.mute
    #expect(state.isMuted && state.source == .gesture && state.origin == .headset)
    #expect(result == GestureResult(outcome: .applied, state: state, soundsChime: true))
    #expect(
      run.sink.kinds == [
        .muteChanged(state, mutedSpeechWasActive: false), .muteGestureResolved(id: "1", result),
      ])
    try run.send(frames: 20, of: 0)
    #expect(run.playback[160..<(160 + 2560)].contains { abs($0) > 0.09 })
    #expect(run.playback[..<160].allSatisfy { $0 == 0 })
    #expect(run.playback[(160 + 2560)...].allSatisfy { $0 == 0 })
    #expect(run.processed.allSatisfy { $0 == 0 })
  }

  @Test func aRepeatedPressIsTheSamePress() throws {
    let run = try ScriptedRun()
    try run.send(frames: 1)
    try run.press("1")
    let again = try run.press("1")
    #expect(again?.outcome == .applied && again?.soundsChime == true)
    #expect(run.session.state.mute.generation == 1)
    #expect(run.sink.events.count == 2)
  }

  @Test func aPressThatChangesNothingPlaysNoChime() throws {
    let run = try ScriptedRun()
    try run.send(frames: 1, of: 0)
    let result = try run.press("1", mutes: false)
    #expect(result?.outcome == .applied && result?.soundsChime == false)
    try run.send(frames: 20, of: 0)
    #expect(run.playback.allSatisfy { $0 == 0 })
    #expect(run.session.state.mute.generation == 0)
  }

  @Test(arguments: [true, false])
  func theMediaClientIsAskedAndDecides(accept: Bool) throws {
    let run = try asking()
    let pending = try run.press("1")
    #expect(pending == nil)
    #expect(
      run.sink.kinds == [
        .muteGestureRequested(id: "1", proposesMute: true, timeout: .milliseconds(500))
      ])
    run.control(.gestureDecision(id: "1", accept: accept))
    let state = run.session.state.mute
    #expect(state.isMuted == accept)
    let result = GestureResult(
      outcome: accept ? .applied : .rejected, state: state, soundsChime: accept)
    #expect(run.sink.kinds.last == .muteGestureResolved(id: "1", result))
    try run.send(frames: 100, of: 0)
    // A rejection plays no chime, and a gesture is decided only once.
    #expect(run.playback.contains { $0 != 0 } == accept)
    #expect(
      run.sink.kinds.filter { if case .muteGestureResolved = $0 { true } else { false } }.count == 1
    )
    run.control(.gestureDecision(id: "1", accept: true))
    #expect(run.sink.results.last?.refusal?.reason == "GESTURE_DECIDED")
  }

  @Test(arguments: [true, false])
  func anUndecidedPressEndsAsTheSettingsRequire(rejects: Bool) throws {
    let run = try asking()
    run.configure { $0.mute.rejectsOnTimeout = rejects }
    try run.press("1")
    try run.send(frames: 50, of: 0)
    #expect(!run.session.state.mute.isMuted)
    try run.send(frames: 1, of: 0)
    let state = run.session.state.mute
    #expect(state.isMuted == !rejects)
    let result = GestureResult(outcome: .timedOut, state: state, soundsChime: !rejects)
    let last = run.sink.events.last
    #expect(last?.kind == .muteGestureResolved(id: "1", result))
    // 500 ms after sample 160, at which the gesture was reported.
    let due: Int64 = 160 + 8000
    #expect(last?.microphoneSample == due)
  }

  @Test func aDecisionAtTheVeryLastSampleStillCounts() throws {
    let run = try asking()
    try run.press("1")
    run.control(.gestureDecision(id: "1", accept: false), at: 160 + 8000)
    try run.send(frames: 60, of: 0)
    #expect(run.sink.results.map(\.refusal) == [nil])
    #expect(!run.session.state.mute.isMuted)
  }

  @Test func aSessionWhoseTimeStandsStillCanEndTheWait() throws {
    let run = try asking()
    try run.press("1")
    try run.press("2", mutes: true)
    run.session.expireGestures("1", sink: run.sink)
    let resolved = run.sink.kinds.compactMap { kind -> String? in
      if case .muteGestureResolved(let id, _) = kind { id } else { nil }
    }
    #expect(resolved == ["1"] && run.session.state.mute.isMuted)
  }

  @Test func aPressIsIgnoredWithoutInputAndByPolicy() throws {
    let run = try ScriptedRun()
    let early = try run.press("1")
    #expect(early?.outcome == .ignored)
    try run.send(frames: 1)
    let without = try run.press("2", isInputRunning: false)
    #expect(without?.outcome == .ignored)
    run.configure { $0.mute.gesturePolicy = .ignore }
    let unwanted = try run.press("3")
    #expect(unwanted?.outcome == .ignored && unwanted?.soundsChime == false)
    #expect(run.session.state.mute.generation == 0)
  }

  @Test func whereNobodyPlaysThePlaybackNoChimeIsHeard() throws {
    let run = try ScriptedRun(ScriptedRun.setup { $0.playsElsewhere = true })
    try run.send(frames: 1, of: 0)
    let alone = try run.press("1")
    #expect(alone?.outcome == .applied && alone?.soundsChime == false)
    run.session.playbackClientChanged("speaker", hasJoined: true, sink: run.sink)
    let joined = try run.press("2")
    #expect(joined?.soundsChime == true)
  }

  @Test func theChimeCanBeSwitchedOffAndNeedsPlayback() throws {
    for isPlayed in [true, false] {
      let run = try ScriptedRun(
        ScriptedRun.setup {
          if !isPlayed { $0.playback = nil }
          $0.configuration.mute.soundsChime = !isPlayed
        })
      try run.send(frames: 1, of: 0)
      let result = try run.press("1")
      #expect(result?.outcome == .applied && result?.soundsChime == false)
      try run.send(frames: 20, of: 0)
      #expect(run.playback.allSatisfy { $0 == 0 })
    }
  }

  private func asking() throws -> ScriptedRun {
    let run = try ScriptedRun(ScriptedRun.setup { $0.configuration.mute.gesturePolicy = .ask })
    try run.send(frames: 1, of: 0)
    return run
  }
}
