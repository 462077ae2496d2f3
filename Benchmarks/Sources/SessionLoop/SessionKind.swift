internal import AudioCore
internal import SpatialAudio
internal import VoiceSessions

enum SessionKind: String, CaseIterable {
  /// A session with microphone and reference, and the default configuration.
  case plain
  /// A plain session with voice activity detection, while muted.
  case muted
  /// A session with voice activity detection and a playback, which mixes the far end and ducked
  /// other audio.
  case full
  /// A plain session whose microphone and processed output are Opus at 32 kb/s, in packets of 10 ms.
  case opus
  /// A plain session that mixes 16 named far ends down for two channels.
  case mixed
  /// The same, with the far ends rendered for both ears while the head turns in every frame.
  case spatial

  /// Whether the session has 16 named far ends.
  var hasNamedFarEnds: Bool { self == .mixed || self == .spatial }

  func setup(_ rate: SampleRate) throws -> SessionSetup {
    let format = AudioFormat(encoding: .s16, rate: rate, channelCount: 1)
    if self == .opus { return SessionSetup(microphone: .opus(rate), reference: format) }
    var setup = SessionSetup(microphone: format, reference: format)
    if hasNamedFarEnds {
      setup.playback = AudioFormat(encoding: .s16, rate: rate, channelCount: 2)
      setup.farEnds = (0..<SpatialSettings.largestSourceCount).map {
        NamedFarEnd(id: "guest-\($0)", format: format)
      }
      setup.headResponses = try .generic(rate: rate)
      setup.configuration.spatial.isEnabled = self == .spatial
      setup.configuration.spatial.isHeadTracked = true
      setup.configuration.spatial.sources = setup.farEnds.enumerated().map { index, farEnd in
        .init(
          farEnd: farEnd.id,
          placement: Placement(azimuth: Float(index) * 22.5, elevation: 0, distance: 1))
      }
    }
    guard self == .muted || self == .full else { return setup }
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
