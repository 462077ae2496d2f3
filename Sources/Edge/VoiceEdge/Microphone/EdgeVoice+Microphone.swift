internal import AnechoicAPI

/// The microphone, which may be open only while it is needed.
extension EdgeVoice {
  /// Opens or closes the microphone if the need has changed. Runs per frame: no allocation, lock, log
  /// or await, except after a change.
  func updateMicrophone() {
    let use = MicrophoneRule(
      isAlwaysOpen: configuration.microphone.open == .always,
      hasSession: hasSession, mute: mute, detectsMutedTalker: detectsMutedTalker,
      isTesting: testCount > 0
    ).use
    guard use != status.microphone else { return }
    status.microphone = use
    rings.openMicrophone(use.isOpen)
    publish()
  }

  /// Follows the settings of the session, which other clients may change.
  func follow(_ settings: Anechoic_V1_SessionConfig) {
    detectsMutedTalker = !settings.mute.mutedTalkerDetectionDisabled
  }
}
