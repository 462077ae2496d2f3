internal import AnechoicAPI
internal import SwiftProtobuf
internal import VoiceClient

/// The voice that VOICE_ISOLATION keeps at this machine.
struct EnrolledVoice {
  /// The voice with which sessions begin, or whether they learn one.
  var kept: KeptVoiceprint
  /// The file that keeps it. Nil for none.
  let file: VoiceprintFile?
  /// The number of changes of the voice.
  var changes = 0
  /// The control that asks the session to learn a voice, until it is answered.
  var request: UInt64?

  init(_ configuration: EdgeConfiguration) {
    kept = KeptVoiceprint(
      .with { if let voiceprint = configuration.voiceprint { $0.voiceprint = voiceprint } })
    file = configuration.session.voiceprint.map { VoiceprintFile($0.path) }
  }

  /// The state without a session.
  var state: Anechoic_V1_VoiceEnrollment {
    kept.isEnrolling ? .enrolling : kept.voiceprint == nil ? .none : .enrolled
  }
}

extension EdgeVoice {
  /// Lets the session learn the voice at the microphone. Returns the reason if that is not possible.
  func enrollVoice() -> String? {
    guard server.link != nil else {
      return "no session runs on a server; begin a call with \"anechoic-edge call begin\""
    }
    let control = control { $0.enrollVoice = .init() }
    server.voice.request = control.controlID
    server.voice.kept.record(control)
    server.link?.outbox.put(.control(control))
    status.voice = .with { $0.enrollment = .enrolling }
    publish()
    return nil
  }

  /// Forgets the voice. Returns the file that keeps it, and the number of this change.
  func forgetVoice() -> (file: VoiceprintFile?, change: Int) {
    let control = control { $0.setVoiceprint = .init() }
    server.voice.request = nil
    server.voice.kept.record(control)
    server.voice.changes += 1
    server.link?.outbox.put(.control(control))
    status.voice = .with { $0.enrollment = .none }
    publish()
    return (server.voice.file, server.voice.changes)
  }

  /// Keeps a voice that the session has learnt.
  func learnt(_ voiceprint: Anechoic_V1_Voiceprint) {
    // An enrollment of before was forgotten meanwhile.
    guard server.voice.kept.isEnrolling else { return }
    server.voice.kept.record(voiceprint)
    server.voice.changes += 1
    status.voice = .with { $0.enrollment = .enrolled }
    log("voice: a voice was learnt, which VOICE_ISOLATION keeps")
    publish()
    guard let file = server.voice.file else { return }
    Task { [mailbox = parts.mailbox, change = server.voice.changes] in
      guard let problem = await file.keep(voiceprint, change: change) else { return }
      mailbox.post { $0.voiceHasProblem("session.voiceprint: \(problem)") }
    }
  }

  func enrollmentChanged(_ change: Anechoic_V1_VoiceEnrollmentChanged) {
    server.voice.kept.record(change)
    status.voice.enrollment = change.state
    guard change.failure != .unspecified else { return }
    status.voice.failure = change.failure
    log("voice: no voice was learnt: \(change.failure.words)")
  }

  /// Records the session's result for a control, which may be the request to learn a voice.
  func enrollmentAnswered(_ result: Anechoic_V1_ControlResult) {
    guard result.controlID == server.voice.request else { return }
    server.voice.request = nil
    guard result.hasRefusal else { return }
    server.voice.kept.giveUp()
    status.voice.enrollment = server.voice.state
    voiceHasProblem(result.refusal.message)
  }

  /// Records whether a session that has started uses the voice.
  func voiceStarted(_ started: Anechoic_V1_Started, asked start: Anechoic_V1_Start) {
    status.voice.enrollment = server.voice.state
    guard start.hasVoiceprint, !started.voiceprintUsed else { return }
    if status.voice.enrollment == .enrolled { status.voice.enrollment = .none }
    voiceHasProblem(
      "the session cannot use the voiceprint, which is of another encoder; learn the voice again")
  }

  private func voiceHasProblem(_ problem: String) {
    status.voice.problem = problem
    log("voice: \(problem)")
    publish()
  }
}
