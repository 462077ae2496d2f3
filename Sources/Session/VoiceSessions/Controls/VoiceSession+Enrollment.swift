internal import VoiceEngines

/// The voice that isolation keeps.
extension VoiceSession {
  /// Whether the session began with the voiceprint of its setup.
  public var usesVoiceprint: Bool { setup.voiceprint.map(keptVoice.fits) ?? false }

  /// The voiceprint that this session has learnt and still keeps, or nil.
  public var learntVoiceprint: Voiceprint? { keptVoice.learnt }

  /// Throws unless the session may learn and keep voices, and its engine can.
  func checkEnrollment(_ control: String) throws(Refusal) {
    guard keptVoice.isAllowed else {
      throw Refusal(
        .forbidden, reason: "SCOPE_MISSING", message: "\(control) needs the scope \"enroll\"")
    }
    guard keptVoice.isPossible else {
      throw Refusal(
        .unsupported, reason: "UNSUPPORTED",
        message:
          "\(control): the engine \(type(of: capture.engine).identity.name) cannot learn a voice")
    }
  }

  /// Throws unless the engine can keep the voice of a voiceprint.
  func check(_ voiceprint: Voiceprint) throws(Refusal) {
    guard keptVoice.fits(voiceprint) else {
      throw Refusal(
        .invalid, reason: "INVALID_FIELD",
        message:
          "set_voiceprint.voiceprint: is of another encoder than this engine's; enroll the voice again"
      )
    }
  }

  func beginEnrollment(at sample: Int64, sink: any SessionSink) {
    keptVoice.enroll()
    announceEnrollment(at: sample, sink: sink)
  }

  func keep(_ voiceprint: Voiceprint?, at sample: Int64, sink: any SessionSink) {
    keptVoice.keep(voiceprint)
    forgetTalkers(at: sample, sink: sink)
    announceEnrollment(at: sample, sink: sink)
  }

  /// Follows the enrollment and the voices that talk. Runs per frame: no allocation, lock, log or await,
  /// except where an enrollment ends.
  func followEnrollment(sink: any SessionSink) {
    if let outcome = keptVoice.advance() { report(outcome, to: sink) }
    guard state.activeMicMode == .voiceIsolation else { return forgetTalkers(sink: sink) }
    if let isOther = keptVoice.listen() {
      emit(.captureWarning(.otherVoice, isActive: isOther), to: sink)
    }
  }

  private func forgetTalkers(at sample: Int64? = nil, sink: any SessionSink) {
    guard keptVoice.forgetTalkers() else { return }
    emit(.captureWarning(.otherVoice, isActive: false), at: sample, to: sink)
  }

  /// Ends an enrollment with the session.
  func endEnrollment(sink: any SessionSink) {
    if let outcome = keptVoice.finish() { report(outcome, to: sink) }
  }

  private func report(_ outcome: KeptVoice.Outcome, to sink: any SessionSink) {
    switch outcome {
    case .learnt(let voiceprint):
      forgetTalkers(sink: sink)
      announceEnrollment(sink: sink)
      sink.emit(voiceprint)
    case .failed(let failure): announceEnrollment(failure: failure, sink: sink)
    }
  }

  private func announceEnrollment(
    failure: EnrollmentFailure? = nil, at sample: Int64? = nil, sink: any SessionSink
  ) {
    emit(.voiceEnrollmentChanged(keptVoice.state, failure: failure), at: sample, to: sink)
  }
}
