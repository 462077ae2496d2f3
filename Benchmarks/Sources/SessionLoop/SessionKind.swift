internal import AudioCore
internal import VoiceSessions

enum SessionKind: String, CaseIterable {
  /// A session with microphone and reference, and the default configuration.
  case plain
  /// A plain session with voice activity detection, while muted.
  case muted
  /// A session with voice activity detection and a playback, which mixes the far end and ducked
  /// other audio.
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
