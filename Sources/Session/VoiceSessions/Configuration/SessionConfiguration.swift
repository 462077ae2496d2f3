public import VoiceEngines

/// All of a session that can be read at any time and changed while it runs.
public struct SessionConfiguration: Sendable, Equatable {
  /// In decibels below full scale.
  public static let defaultGainTarget = 3

  public var voiceProcessing = VoiceProcessing()
  public var preferredMicMode = MicMode.standard
  public var ducking = Ducking()
  public var mute = Mute()
  public var voiceActivity = VoiceActivity()
  /// Whether clients that have permission may inject speech.
  public var acceptsInjection = true
  public var spatial = SpatialSettings()
  public var turns = Turns()

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

  /// A stage that is off, or on at some strength. A stage that is off keeps its strength for the time
  /// when it is switched on again, unless that is left to the mic mode.
  public enum Stage<Strength: Sendable & Equatable>: Sendable, Equatable {
    case off(keeping: Strength?)
    case on(Strength)

    /// A stage without a strength of its own.
    public static var off: Self { .off(keeping: nil) }

    public var isOn: Bool { strength != nil }

    /// The strength at which the stage runs. Nil when it is off.
    public var strength: Strength? {
      switch self {
      case .off: nil
      case .on(let strength): strength
      }
    }

    /// The strength that the stage has, also while it is off.
    public var ownStrength: Strength? {
      switch self {
      case .off(let strength): strength
      case .on(let strength): strength
      }
    }
  }

  /// How much other audio is lowered under the call. The two settings are independent.
  public struct Ducking: Sendable, Equatable {
    /// Lower while either side talks, easing off while neither does.
    public var isAdvanced = false
    public var level = Level.standard

    public enum Level: Sendable, CaseIterable { case min, standard, mid, max }

    public init() {}
  }

  public struct Mute: Sendable, Equatable {
    public var gesturePolicy = GesturePolicy.apply
    /// The time in which the media client must decide a gesture.
    public var decisionTimeout = Duration.milliseconds(500)
    /// Whether a gesture that nobody decides is rejected rather than applied.
    public var rejectsOnTimeout = false
    public var soundsChime = true
    public var detectsMutedTalker = true

    public init() {}
  }

  /// The handling of a request to mute that comes from a headset's button or a key.
  public enum GesturePolicy: Sendable, CaseIterable { case apply, ask, ignore }

  /// Detection on the echo-cancelled microphone, and on the far end.
  public struct VoiceActivity: Sendable, Equatable {
    public var isEnabled = false
    public var isFarEndEnabled = false
    /// Speech this long starts activity.
    public var startWindow = Duration.milliseconds(100)
    /// Silence this long ends it.
    public var hangover = Duration.milliseconds(300)

    public init() {}
  }

  /// Turns of the near end.
  public struct Turns: Sendable, Equatable {
    public var isEnabled = false
    /// The probability of an end at which a turn ends, above 0 and up to 1.
    public var endProbability: Float = 0.85
    /// A pause this long ends a turn whatever its probability.
    public var longestPause = Duration.seconds(1)

    public init() {}
  }

  /// Returns the engine's settings: the stages of the mode, replaced by those that are set explicitly.
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
    let mode = preferredMicMode.settings
    var resolved = self
    resolved.voiceProcessing.echoCancellation = Stage(
      voiceProcessing.echoCancellation, mode.echoSuppression)
    resolved.voiceProcessing.noiseSuppression = Stage(
      voiceProcessing.noiseSuppression, mode.noiseSuppression)
    resolved.voiceProcessing.gainControl = Stage(voiceProcessing.gainControl, mode.gainTarget)
    resolved.voiceProcessing.highPassFilter = voiceProcessing.highPassFilter ?? mode.highPassFilter
    return resolved
  }
}

extension SessionConfiguration.Stage {
  /// A stage with nothing left to the mode, which runs it at `mode` or not at all.
  fileprivate init(_ stage: Self?, _ mode: Strength?) {
    self =
      switch stage {
      case .off(let strength): .off(keeping: strength ?? mode)
      case .on: stage ?? .off
      case nil: mode.map { .on($0) } ?? .off
      }
  }
}
