public import VoiceEngines

/// The processing that a person prefers for the microphone, as Apple's
/// `AVCaptureDevice.MicrophoneMode`.
public enum MicMode: Sendable, CaseIterable {
  /// For calls.
  case standard
  /// The voice and nothing else.
  case voiceIsolation
  /// The room and all in it.
  case wideSpectrum

  /// The stages that a mode runs where the configuration does not say otherwise.
  public var settings: EngineSettings {
    switch self {
    case .standard:
      EngineSettings(
        echoSuppression: .moderate, noiseSuppression: .moderate,
        gainTarget: SessionConfiguration.defaultGainTarget, highPassFilter: true)
    case .voiceIsolation:
      EngineSettings(
        echoSuppression: .high, noiseSuppression: .veryHigh,
        gainTarget: SessionConfiguration.defaultGainTarget, highPassFilter: true,
        isolatesVoice: true)
    case .wideSpectrum:
      EngineSettings(echoSuppression: .low, highPassFilter: false)
    }
  }
}

extension MicMode {
  /// Why another mode runs than the preferred one, or the mode with less processing than usual.
  public enum Fallback: String, Sendable {
    case unsupportedFormat = "UNSUPPORTED_FORMAT"
    case overload = "OVERLOAD"
  }

  /// The mode that runs where this one is preferred: this, or else the standard one.
  func active(where isSupported: (MicMode) -> Bool) -> (mode: MicMode, reason: Fallback?) {
    isSupported(self) ? (self, nil) : (.standard, .unsupportedFormat)
  }
}
