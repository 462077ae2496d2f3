internal import AudioCore
internal import VoiceSessions

enum SessionKind: String, CaseIterable {
  /// Microphone and reference, nothing asked for.
  case plain
  /// The same with voice activity, while muted.
  case muted
  /// The same, not muted, with far end and other audio, ducked by who talks, mixed into a playback.
  case full

  func setup(_ rate: SampleRate) -> SessionSetup {
    let format = AudioFormat(encoding: .s16, rate: rate, channelCount: 1)
    var setup = SessionSetup(microphone: format, reference: format)
    guard self != .plain else { return setup }
    setup.configuration.voiceActivity.isEnabled = true
    setup.startsMuted = self == .muted
    guard self == .full else { return setup }
    setup.configuration.voiceActivity.isFarEndEnabled = true
    setup.configuration.ducking.isAdvanced = true
    setup.farEnd = format
    setup.otherAudio = format
    setup.playback = format
    return setup
  }
}
