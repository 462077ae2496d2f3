import Testing

@testable import VoiceSessions

/// Speech while muted, and voice activity of both sides.
struct SessionSpeechTests {
  @Test func speechCountsOnlyWhileMutedAndOnlyOnAChange() throws {
    let run = try ScriptedRun()
    try speak(run, frames: 50)
    try rest(run, frames: 50)
    #expect(speech(run).isEmpty)
    run.mute(true)
    try rest(run, frames: 10)
    try speak(run, frames: 50)
    #expect(run.session.state.isMutedSpeechActive)
    try rest(run, frames: 50)
    #expect(!run.session.state.isMutedSpeechActive)
    try speak(run, frames: 50)
    try rest(run, frames: 50)
    #expect(
      speech(run) == [
        .mutedSpeech(isActive: true), .mutedSpeech(isActive: false), .mutedSpeech(isActive: true),
        .mutedSpeech(isActive: false),
      ])
  }

  @Test func speechThatWentOnAtMuteCountsOnlyAfterAPause() throws {
    let run = try ScriptedRun()
    try speak(run, frames: 50)
    run.mute(true)
    try speak(run, frames: 300)
    #expect(speech(run).isEmpty)
    try rest(run, frames: 50)
    #expect(speech(run).isEmpty)
    try speak(run, frames: 50)
    #expect(speech(run) == [.mutedSpeech(isActive: true)])
  }

  @Test(arguments: [1, 3, 5, 9])
  func speechThatHadJustBegunAtMuteCountsOnlyAfterAPause(frames: Int) throws {
    let run = try ScriptedRun()
    try rest(run, frames: 50)
    try speak(run, frames: frames)
    run.mute(true)
    try speak(run, frames: 100)
    #expect(speech(run).isEmpty)
  }

  @Test func unmutingEndsMutedSpeechWithoutAnEndedEvent() throws {
    let run = try ScriptedRun()
    run.mute(true)
    try rest(run, frames: 10)
    try speak(run, frames: 50)
    run.mute(false)
    #expect(!run.session.state.isMutedSpeechActive)
    try rest(run, frames: 100)
    #expect(speech(run) == [.mutedSpeech(isActive: true)])
    let state = run.session.state.mute
    #expect(run.sink.kinds.contains(.muteChanged(state, mutedSpeechWasActive: true)))
    run.mute(true)
    run.mute(false)
    #expect(
      run.sink.kinds.last
        == .muteChanged(run.session.state.mute, mutedSpeechWasActive: false))
  }

  @Test func withDetectionOffMutedSpeechIsNotReported() throws {
    let run = try ScriptedRun()
    run.mute(true)
    try rest(run, frames: 10)
    try speak(run, frames: 50)
    run.configure { $0.mute.detectsMutedTalker = false }
    #expect(!run.session.state.isMutedSpeechActive)
    try rest(run, frames: 50)
    try speak(run, frames: 50)
    #expect(speech(run) == [.mutedSpeech(isActive: true), .mutedSpeech(isActive: false)])
  }

  @Test func switchingDetectionOffAndOnDoesNotMakeOldSpeechNew() throws {
    let run = try ScriptedRun()
    try speak(run, frames: 50)
    run.mute(true)
    run.configure { $0.mute.detectsMutedTalker = false }
    try speak(run, frames: 10)
    run.configure { $0.mute.detectsMutedTalker = true }
    try speak(run, frames: 100)
    #expect(speech(run).isEmpty)
    run.configure { $0.mute.detectsMutedTalker = false }
    try rest(run, frames: 50)
    run.configure { $0.mute.detectsMutedTalker = true }
    try speak(run, frames: 50)
    #expect(speech(run) == [.mutedSpeech(isActive: true)])
  }

  @Test(arguments: [false, true])
  func voiceActivityIsReportedWhetherMutedOrNot(isMuted: Bool) throws {
    let run = try ScriptedRun(
      ScriptedRun.setup {
        $0.startsMuted = isMuted
        $0.configuration.voiceActivity.isEnabled = true
      })
    try rest(run, frames: 20)
    try speak(run, frames: 50)
    #expect(run.session.state.isVoiceActive)
    try rest(run, frames: 50)
    #expect(!run.session.state.isVoiceActive)
    let changes = run.kinds { if case .voiceActivityChanged = $0 { true } else { false } }
    // The speech in microphone samples 3200 to 11200, found in frames of the output.
    #expect(changes.count == 2)
    guard case .voiceActivityChanged(.nearEnd, isActive: true, let began) = changes.first,
      case .voiceActivityChanged(.nearEnd, isActive: false, let ended) = changes.last
    else { return #expect(changes.isEmpty, "not the near end's voice") }
    #expect(abs(began - 3200) <= 160 && abs(ended - 11200) <= 160)
  }

  @Test func theFarEndsVoiceIsReportedIfEnabled() throws {
    let run = try ScriptedRun(
      ScriptedRun.setup { $0.configuration.voiceActivity.isFarEndEnabled = true })
    try run.send(frames: 20, of: 0, farEnd: 0)
    try run.send(frames: 50, of: 0, farEnd: 0.5)
    #expect(run.session.state.isFarEndVoiceActive && !run.session.state.isVoiceActive)
    try run.send(frames: 50, of: 0, farEnd: 0)
    run.configure { $0.voiceActivity.isFarEndEnabled = false }
    try run.send(frames: 50, of: 0, farEnd: 0.5)
    let changes = run.kinds { if case .voiceActivityChanged = $0 { true } else { false } }
    #expect(
      changes == [
        .voiceActivityChanged(.farEnd, isActive: true, beganAt: 3200),
        .voiceActivityChanged(.farEnd, isActive: false, beganAt: 11200),
      ])
    #expect(!run.session.state.isFarEndVoiceActive)
  }

  @Test func switchingDetectionDuringSpeechIsAChange() throws {
    let run = try ScriptedRun()
    try speak(run, frames: 50)
    #expect(!run.session.state.isVoiceActive)
    run.configure { $0.voiceActivity.isEnabled = true }
    #expect(run.session.state.isVoiceActive)
    run.configure { $0.voiceActivity.isEnabled = false }
    #expect(!run.session.state.isVoiceActive)
    try rest(run, frames: 50)
    #expect(
      run.kinds { if case .voiceActivityChanged = $0 { true } else { false } }.count == 2)
  }

  /// The ways in which the frames of a session end in the middle of speech.
  enum Stop: CaseIterable { case stopped, stoppedAlone, suspended, ended }

  @Test(arguments: Stop.allCases)
  func voicesEndWithTheFrames(stop: Stop) throws {
    let run = try ScriptedRun(
      ScriptedRun.setup {
        $0.startsMuted = true
        $0.configuration.voiceActivity.isEnabled = true
        $0.configuration.voiceActivity.isFarEndEnabled = true
      })
    // Beside an echo, speech counts as muted speech after 0.9 s.
    func talk() throws { try run.send(frames: 120, of: 0.5, farEnd: 0.5) }
    try run.send(frames: 10, of: 0.001, farEnd: 0)
    try talk()
    var state: SessionState { run.session.state }
    #expect(state.isVoiceActive && state.isFarEndVoiceActive && state.isMutedSpeechActive)
    let before = run.sink.kinds.count
    switch stop {
    case .stopped: run.session.microphoneStopped(sink: run.sink)
    case .stoppedAlone: run.session.microphoneStoppedAlone(sink: run.sink)
    case .suspended: run.session.suspend(waitingFor: .seconds(10), sink: run.sink)
    case .ended: run.session.end(.clientLost, sink: run.sink)
    }
    #expect(!state.isVoiceActive && !state.isFarEndVoiceActive && !state.isMutedSpeechActive)
    let told = run.sink.kinds.dropFirst(before)
    #expect(told.contains(.mutedSpeech(isActive: false)))
    #expect(told.contains(.voiceActivityChanged(.farEnd, isActive: false, beganAt: 20800)))
    if stop == .ended {
      return #expect(run.sink.kinds.last == .ended(.clientLost))
    }
    // The voice that goes on afterwards is a new one.
    try talk()
    #expect(state.isVoiceActive && state.isFarEndVoiceActive && state.isMutedSpeechActive)
  }

  private func speak(_ run: ScriptedRun, frames: Int) throws {
    try run.send(frames: frames, of: 0.5)
  }

  private func rest(_ run: ScriptedRun, frames: Int) throws {
    try run.send(frames: frames, of: 0.001)
  }

  private func speech(_ run: ScriptedRun) -> [SessionEvent.Kind] {
    run.kinds { if case .mutedSpeech = $0 { true } else { false } }
  }
}
