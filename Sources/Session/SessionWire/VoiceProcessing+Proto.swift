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
      echoCancellation = stage.enabled ? .on(strength) : .off
    }
    if processing.hasNoiseSuppression {
      let stage = processing.noiseSuppression
      let strength = try EngineSettings.NoiseSuppression(
        stage.level, path: "\(path).noise_suppression.level")
      noiseSuppression = stage.enabled ? .on(strength) : .off
    }
    if processing.hasGainControl {
      let stage = processing.gainControl
      guard stage.targetLevelDbfs <= 31 else {
        throw InvalidFieldError(
          "\(path).gain_control.target_level_dbfs",
          "\(stage.targetLevelDbfs) is not supported; use 0 to 31")
      }
      let target = Int(stage.targetLevelDbfs)
      gainControl =
        stage.enabled ? .on(target == 0 ? SessionConfiguration.defaultGainTarget : target) : .off
    }
    if processing.hasHighPassFilter { highPassFilter = processing.highPassFilter }
  }
}

extension Anechoic_V1_VoiceProcessing {
  init(_ processing: SessionConfiguration.VoiceProcessing) {
    self.init()
    bypassed = processing.isBypassed
    if let stage = processing.echoCancellation {
      echoCancellation.enabled = stage.strength != nil
      if let strength = stage.strength { echoCancellation.suppression = Level(strength) }
    }
    if let stage = processing.noiseSuppression {
      noiseSuppression.enabled = stage.strength != nil
      if let strength = stage.strength { noiseSuppression.level = Level(strength) }
    }
    if let stage = processing.gainControl {
      gainControl.enabled = stage.strength != nil
      if let target = stage.strength { gainControl.targetLevelDbfs = UInt32(target) }
    }
    if let isOn = processing.highPassFilter { highPassFilter = isOn }
  }

  /// Fills in the current values of each stage of which a patch sets only some fields. A stage that
  /// follows the mic mode is unset until then, and its other fields would return to their defaults.
  mutating func fill(stagesBelow fields: [String], from resolved: Self) {
    func isNamed(_ stage: String) -> Bool {
      fields.contains { $0.hasPrefix("voice_processing.\(stage).") }
    }
    if !hasEchoCancellation, isNamed("echo_cancellation") {
      echoCancellation = resolved.echoCancellation
    }
    if !hasNoiseSuppression, isNamed("noise_suppression") {
      noiseSuppression = resolved.noiseSuppression
    }
    if !hasGainControl, isNamed("gain_control") { gainControl = resolved.gainControl }
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
