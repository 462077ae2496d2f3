public import AnechoicAPI
internal import VoiceEngines
public import VoiceSessions

extension SessionConfiguration.VoiceProcessing {
  init(_ processing: Anechoic_V1_VoiceProcessing, path: String) throws(InvalidFieldError) {
    self.init()
    isBypassed = processing.bypassed
    if processing.hasEchoCancellation {
      let stage = processing.echoCancellation
      let strength = try EngineSettings.EchoSuppression(
        stage.suppression, path: "\(path).echo_cancellation.suppression")
      echoCancellation = SessionConfiguration.Stage(
        isOn: stage.enabled, strength, isGiven: stage.suppression != .unspecified)
    }
    if processing.hasNoiseSuppression {
      let stage = processing.noiseSuppression
      let strength = try EngineSettings.NoiseSuppression(
        stage.level, path: "\(path).noise_suppression.level")
      noiseSuppression = SessionConfiguration.Stage(
        isOn: stage.enabled, strength, isGiven: stage.level != .unspecified)
    }
    if processing.hasGainControl {
      let stage = processing.gainControl
      guard stage.targetLevelDbfs <= 31 else {
        throw InvalidFieldError(
          "\(path).gain_control.target_level_dbfs",
          "\(stage.targetLevelDbfs) is not supported; use 0 to 31")
      }
      let target = Int(stage.targetLevelDbfs)
      gainControl = SessionConfiguration.Stage(
        isOn: stage.enabled, target == 0 ? SessionConfiguration.defaultGainTarget : target,
        isGiven: target != 0)
    }
    if processing.hasHighPassFilter { highPassFilter = processing.highPassFilter }
  }
}

extension SessionConfiguration.Stage {
  /// `isGiven` is whether `strength` is not a default.
  fileprivate init(isOn: Bool, _ strength: Strength, isGiven: Bool) {
    self = isOn ? .on(strength) : .off(keeping: isGiven ? strength : nil)
  }
}

extension Anechoic_V1_VoiceProcessing {
  init(_ processing: SessionConfiguration.VoiceProcessing) {
    self.init()
    bypassed = processing.isBypassed
    if let stage = processing.echoCancellation {
      echoCancellation.enabled = stage.isOn
      if let strength = stage.ownStrength { echoCancellation.suppression = Level(strength) }
    }
    if let stage = processing.noiseSuppression {
      noiseSuppression.enabled = stage.isOn
      if let strength = stage.ownStrength { noiseSuppression.level = Level(strength) }
    }
    if let stage = processing.gainControl {
      gainControl.enabled = stage.isOn
      if let target = stage.ownStrength { gainControl.targetLevelDbfs = UInt32(target) }
    }
    if let isOn = processing.highPassFilter { highPassFilter = isOn }
  }

  /// Makes each stage of which a patch sets only some fields on or off as it is. A stage that follows the
  /// mic mode is unset until then.
  mutating func fill(stagesBelow fields: [String], from resolved: Self) {
    func isNamed(_ stage: String) -> Bool {
      fields.contains { $0.hasPrefix("voice_processing.\(stage).") }
    }
    if !hasEchoCancellation, isNamed("echo_cancellation") {
      echoCancellation.enabled = resolved.echoCancellation.enabled
    }
    if !hasNoiseSuppression, isNamed("noise_suppression") {
      noiseSuppression.enabled = resolved.noiseSuppression.enabled
    }
    if !hasGainControl, isNamed("gain_control") {
      gainControl.enabled = resolved.gainControl.enabled
    }
  }

  /// Gives the strength of the mic mode to each stage that a patch of these fields switches on, and that
  /// has none of its own. The default of the gain control is that of each mode.
  mutating func fill(strengthsAfter fields: [String], from mode: EngineSettings) {
    func isLeftOut(_ stage: String, _ strength: String) -> Bool {
      let path = "voice_processing.\(stage)"
      let named = ["voice_processing", path, "\(path).\(strength)"]
      return fields.contains("\(path).enabled") && !fields.contains(where: named.contains)
    }
    if echoCancellation.enabled, echoCancellation.suppression == .unspecified,
      isLeftOut("echo_cancellation", "suppression"), let strength = mode.echoSuppression
    {
      echoCancellation.suppression = Level(strength)
    }
    if noiseSuppression.enabled, noiseSuppression.level == .unspecified,
      isLeftOut("noise_suppression", "level"), let strength = mode.noiseSuppression
    {
      noiseSuppression.level = Level(strength)
    }
  }
}

extension EngineSettings.EchoSuppression {
  fileprivate init(
    _ level: Anechoic_V1_VoiceProcessing.Level, path: String
  ) throws(InvalidFieldError) {
    // The echo canceller has the levels of the noise suppressor, except for the highest.
    switch try EngineSettings.NoiseSuppression(level, path: path) {
    case .low: self = .low
    case .moderate: self = .moderate
    case .high: self = .high
    case .veryHigh: throw InvalidFieldError(path, "must not be above LEVEL_HIGH")
    }
  }
}

extension EngineSettings.NoiseSuppression {
  fileprivate init(
    _ level: Anechoic_V1_VoiceProcessing.Level, path: String
  ) throws(InvalidFieldError) {
    switch level {
    case .low: self = .low
    case .unspecified, .moderate: self = .moderate
    case .high: self = .high
    case .veryHigh: self = .veryHigh
    case .UNRECOGNIZED(let value): throw InvalidFieldError(path, "\(value) is not a known level")
    }
  }
}

extension Anechoic_V1_VoiceProcessing.Level {
  fileprivate init(_ suppression: EngineSettings.EchoSuppression) {
    switch suppression {
    case .low: self = .low
    case .moderate: self = .moderate
    case .high: self = .high
    }
  }

  fileprivate init(_ suppression: EngineSettings.NoiseSuppression) {
    switch suppression {
    case .low: self = .low
    case .moderate: self = .moderate
    case .high: self = .high
    case .veryHigh: self = .veryHigh
    }
  }
}

extension MicMode {
  init(_ mode: Anechoic_V1_MicMode, path: String) throws(InvalidFieldError) {
    switch mode {
    case .unspecified, .standard: self = .standard
    case .voiceIsolation: self = .voiceIsolation
    case .wideSpectrum: self = .wideSpectrum
    case .UNRECOGNIZED(let value): throw InvalidFieldError(path, "\(value) is not a known mic mode")
    }
  }
}

extension Anechoic_V1_MicMode {
  public init(_ mode: MicMode) {
    switch mode {
    case .standard: self = .standard
    case .voiceIsolation: self = .voiceIsolation
    case .wideSpectrum: self = .wideSpectrum
    }
  }
}
