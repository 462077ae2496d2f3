package import AnechoicAPI

/// The voice that the session which replaces a lost one keeps, or learns.
package struct KeptVoiceprint {
  package private(set) var voiceprint: Anechoic_V1_Voiceprint?
  package private(set) var isEnrolling: Bool
  /// The sample at which an enrollment failed for want of a voice. Nil if none has.
  private var lackedVoiceAt: Int64?

  package init(_ start: Anechoic_V1_Start) {
    voiceprint = start.hasVoiceprint ? start.voiceprint : nil
    isEnrolling = start.enrollVoice
  }

  /// Records a control of this client.
  package mutating func record(_ control: Anechoic_V1_Control) {
    switch control.control {
    case .enrollVoice: isEnrolling = true
    case .setVoiceprint(let set):
      voiceprint = set.hasVoiceprint ? set.voiceprint : nil
      isEnrolling = false
    default: break
    }
  }

  /// Records a voiceprint that a session has learnt.
  package mutating func record(_ learnt: Anechoic_V1_Voiceprint) {
    voiceprint = learnt
    isEnrolling = false
  }

  /// Records an event: the end of an enrollment that failed. It did not fail if the session ended before it
  /// had heard enough.
  mutating func record(_ event: Anechoic_V1_SessionEvent) {
    switch event.event {
    case .voiceEnrollmentChanged(let change) where change.failure != .unspecified:
      let lacksVoice = isEnrolling && change.failure == .tooLittleVoice
      lackedVoiceAt = lacksVoice ? event.microphoneSample : nil
      giveUp()
    case .sessionEnded:
      if lackedVoiceAt == event.microphoneSample { isEnrolling = true }
    default: break
    }
  }

  /// Records that the voice cannot be learnt.
  package mutating func giveUp() { isEnrolling = false }

  /// Changes the start of the new session.
  func apply(to start: inout Anechoic_V1_Start) {
    if let voiceprint { start.voiceprint = voiceprint } else { start.clearVoiceprint() }
    start.enrollVoice = isEnrolling
  }
}
