internal import AnechoicAPI
internal import SessionWire
internal import VoiceSessions

extension EdgeVoice {
  /// Whether a session on the server or on this machine processes the voice, or this agent plays one.
  var hasSession: Bool {
    link != nil || playback != nil
      || configuration.session.join == nil && configuration.fallback != .silence
  }

  /// Lowers other programs as a session does in which neither side talks. Nil stands for the local
  /// session.
  func lowerOthersAtRest(_ settings: Anechoic_V1_SessionConfig?) {
    guard hasSession || settings != nil else { return lower(nil) }
    let settings = settings ?? configuration.session.configuration
    let ducking = try? SessionConfiguration(settings, path: "config").ducking
    lower(ducking?.restingGain)
  }
}
