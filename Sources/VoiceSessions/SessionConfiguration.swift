public import VoiceEngines

/// All of a session that can be read at any time and changed while it runs.
public struct SessionConfiguration: Sendable, Equatable {
  /// In decibels below full scale.
  public static let defaultGainTarget = 3

  public var voiceProcessing = VoiceProcessing()
  public var preferredMicMode = MicMode.standard
  public var voiceActivity = VoiceActivity()

  public init() {}

  /// The stages of voice processing. A part that is nil follows the mic mode.
  public struct VoiceProcessing: Sendable, Equatable {
    /// Audio passes untouched; timing and events go on.
    public var isBypassed = false
    public var echoCancellation: Stage<EngineSettings.EchoSuppression>?
    public var noiseSuppression: Stage<EngineSettings.NoiseSuppression>?
    /// At the level that speech is brought to, in decibels below full scale, 0...31.
    public var gainControl: Stage<Int>?
    public var highPassFilter: Bool?

    public init() {}
  }

  /// A stage that is off, or on at some strength.
  public enum Stage<Strength: Sendable & Equatable>: Sendable, Equatable {
    case off
    case on(Strength)

    init(_ strength: Strength?) {
      self = strength.map { .on($0) } ?? .off
    }

    /// Nil when it is off.
    public var strength: Strength? {
      switch self {
      case .off: nil
      case .on(let strength): strength
      }
    }
  }

  /// Detection on the echo-cancelled microphone.
  public struct VoiceActivity: Sendable, Equatable {
    public var isEnabled = false
    /// Speech this long starts activity.
    public var startWindow = Duration.milliseconds(100)
    /// Silence this long ends it.
    public var hangover = Duration.milliseconds(300)

    public init() {}
  }

  /// What the engine is told: the mode's stages, with those that are set laid over them.
  public func engineSettings(for mode: MicMode) -> EngineSettings {
    var settings = mode.settings
    settings.isBypassed = voiceProcessing.isBypassed
    if let stage = voiceProcessing.echoCancellation { settings.echoSuppression = stage.strength }
    if let stage = voiceProcessing.noiseSuppression { settings.noiseSuppression = stage.strength }
    if let stage = voiceProcessing.gainControl { settings.gainTarget = stage.strength }
    if let isOn = voiceProcessing.highPassFilter { settings.highPassFilter = isOn }
    return settings
  }

  /// The same with nothing left to the mode.
  public var resolved: SessionConfiguration {
    let settings = engineSettings(for: preferredMicMode)
    var resolved = self
    resolved.voiceProcessing.echoCancellation = Stage(settings.echoSuppression)
    resolved.voiceProcessing.noiseSuppression = Stage(settings.noiseSuppression)
    resolved.voiceProcessing.gainControl = Stage(settings.gainTarget)
    resolved.voiceProcessing.highPassFilter = settings.highPassFilter
    return resolved
  }
}
