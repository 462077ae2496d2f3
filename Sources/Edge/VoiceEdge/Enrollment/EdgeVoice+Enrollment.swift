internal import AnechoicAPI
internal import SwiftProtobuf
internal import VoiceClient

/// The voice that VOICE_ISOLATION keeps at this machine.
struct EnrolledVoice {
  /// The voice with which sessions begin, and whether the session learns one.
  var kept: KeptVoiceprint
  /// The file that keeps it. Nil for none.
  let file: VoiceprintFile?
  /// The number of changes of the voice.
  var changes = 0
  /// The last request to learn or to forget, until the session answers it.
  var unanswered: Anechoic_V1_Control?
  /// Whether the session uses the voice.
  var isUsed = true
  /// The reason for which a server has refused a session that keeps the voice. Nil if none has.
  var refusal: String?
  var failure = Anechoic_V1_VoiceEnrollmentChanged.Failure.unspecified
  /// The reasons why the session does not use the voice, and why its file is not written. Empty if
  /// nothing is wrong.
  var problemOfSession = ""
  var problemOfFile = ""

  init(_ configuration: EdgeConfiguration) {
    kept = KeptVoiceprint(
      .with { if let voiceprint = configuration.voiceprint { $0.voiceprint = voiceprint } })
    file = configuration.session.voiceprint.map { VoiceprintFile($0.path) }
  }

  /// The voice that the next session is to keep.
  var wanted: Anechoic_V1_Voiceprint? { refusal == nil ? kept.voiceprint : nil }

  var status: Anechoic_V1_EdgeStatus.Voice {
    .with {
      let isKept = kept.voiceprint != nil && isUsed
      $0.enrollment = kept.isEnrolling ? .enrolling : isKept ? .enrolled : .none
      $0.failure = failure
      $0.problem = problemOfSession.isEmpty ? problemOfFile : problemOfSession
    }
  }

  /// Begins a change of the voice by a control.
  mutating func request(_ control: Anechoic_V1_Control) {
    kept.record(control)
    unanswered = control
    failure = .unspecified
    refusal = nil
    (problemOfSession, problemOfFile) = ("", "")
  }
}

extension EdgeVoice {
  /// Lets the session learn the voice at the microphone. Returns the reason if that is not possible.
  func enrollVoice() -> String? {
    guard server.link != nil else {
      return calls.rule.isOn
        ? "the server is away"
        : "no session runs; begin a call with \"anechoic-edge call begin\""
    }
    ask { $0.enrollVoice = .init() }
    return nil
  }

  /// Forgets the voice. Returns the file that keeps it, and the number of this change.
  func forgetVoice() -> (file: VoiceprintFile?, change: Int) {
    server.voice.isUsed = true
    server.voice.changes += 1
    ask { $0.setVoiceprint = .init() }
    return (server.voice.file, server.voice.changes)
  }

  private func ask(_ fill: (inout Anechoic_V1_Control) -> Void) {
    let control = control(fill)
    server.voice.request(control)
    server.link?.outbox.put(.control(control))
    showVoice()
  }

  /// Keeps a voice that the session has learnt.
  func learnt(_ voiceprint: Anechoic_V1_Voiceprint) {
    // An enrollment of before was forgotten meanwhile.
    guard server.voice.kept.isEnrolling else { return }
    server.voice.kept.record(voiceprint)
    server.voice.isUsed = true
    server.voice.changes += 1
    log("voice: a voice was learnt, which VOICE_ISOLATION keeps")
    showVoice()
    guard let file = server.voice.file else { return }
    Task { [mailbox = parts.mailbox, change = server.voice.changes] in
      guard let problem = await file.keep(voiceprint, change: change) else { return }
      mailbox.post { voice in
        voice.server.voice.problemOfFile = "session.voiceprint: \(problem)"
        voice.log("voice: \(voice.server.voice.problemOfFile)")
        voice.showVoice()
      }
    }
  }

  func enrollmentChanged(_ change: Anechoic_V1_VoiceEnrollmentChanged) {
    guard server.voice.kept.isEnrolling, change.failure != .unspecified else { return }
    enrollmentFailed(change.failure)
  }

  private func enrollmentFailed(_ failure: Anechoic_V1_VoiceEnrollmentChanged.Failure) {
    server.voice.kept.giveUp()
    server.voice.failure = failure
    log("voice: no voice was learnt: \(failure.words)")
    showVoice()
  }

  /// Records the session's result for a control, which may be a request to learn or to forget.
  func enrollmentAnswered(_ result: Anechoic_V1_ControlResult) {
    guard let asked = server.voice.unanswered, result.controlID == asked.controlID else { return }
    server.voice.unanswered = nil
    guard result.hasRefusal, case .enrollVoice = asked.control else { return }
    server.voice.kept.giveUp()
    sessionRefusesVoice(result.refusal.message)
  }

  /// Lets a session that goes on hear of a change that it has not confirmed.
  func voiceResumed() {
    guard let asked = server.voice.unanswered else { return }
    let control = control { $0.control = asked.control }
    server.voice.unanswered = control
    server.link?.outbox.put(.control(control))
  }

  /// Records whether a new session uses the voice.
  func voiceStarted(_ started: Anechoic_V1_Started, asked start: Anechoic_V1_Start) {
    voiceLeftSession()
    let refusal = server.voice.refusal
    server.voice.isUsed = refusal == nil && (!start.hasVoiceprint || started.voiceprintUsed)
    server.voice.problemOfSession = ""
    if server.voice.isUsed { return showVoice() }
    sessionRefusesVoice(
      refusal
        ?? "the session cannot use the voiceprint: it is of another encoder, or the engine learns "
        + "no voice")
  }

  /// Ends an enrollment with its session. Without a session, the voice counts as kept.
  func voiceLeftSession() {
    (server.voice.unanswered, server.voice.isUsed) = (nil, true)
    if server.voice.kept.isEnrolling { enrollmentFailed(.tooLittleVoice) }
    showVoice()
  }

  private func sessionRefusesVoice(_ problem: String) {
    server.voice.problemOfSession = problem
    log("voice: \(problem)")
    showVoice()
  }

  private func showVoice() {
    status.voice = server.voice.status
    publish()
  }
}
