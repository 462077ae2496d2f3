internal import SwiftProtobuf
internal import VoiceEngines
internal import VoiceSessions

extension SessionConfiguration.VoiceProcessing {
  init(_ processing: Anechoic_V1_VoiceProcessing, path: String) throws(InvalidField) {
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
        throw InvalidField(
          "\(path).gain_control.target_level_dbfs", "\(stage.targetLevelDbfs) is not 0 to 31")
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
    switch processing.echoCancellation {
    case .on(let strength):
      echoCancellation = .with {
        $0.enabled = true
        $0.suppression = Level(strength)
      }
    case .off: echoCancellation = EchoCancellation()
    case nil: break
    }
    switch processing.noiseSuppression {
    case .on(let strength):
      noiseSuppression = .with {
        $0.enabled = true
        $0.level = Level(strength)
      }
    case .off: noiseSuppression = NoiseSuppression()
    case nil: break
    }
    switch processing.gainControl {
    case .on(let target):
      gainControl = .with {
        $0.enabled = true
        $0.targetLevelDbfs = UInt32(target)
      }
    case .off: gainControl = GainControl()
    case nil: break
    }
    if let isOn = processing.highPassFilter { highPassFilter = isOn }
  }
}

extension EngineSettings.EchoSuppression {
  fileprivate init(
    _ level: Anechoic_V1_VoiceProcessing.Level, path: String
  ) throws(InvalidField) {
    switch level {
    case .low: self = .low
    case .unspecified, .moderate: self = .moderate
    case .high: self = .high
    case .veryHigh: throw InvalidField(path, "is LEVEL_HIGH at most")
    case .UNRECOGNIZED(let value): throw InvalidField(path, "\(value) is no known level")
    }
  }
}

extension EngineSettings.NoiseSuppression {
  fileprivate init(
    _ level: Anechoic_V1_VoiceProcessing.Level, path: String
  ) throws(InvalidField) {
    switch level {
    case .low: self = .low
    case .unspecified, .moderate: self = .moderate
    case .high: self = .high
    case .veryHigh: self = .veryHigh
    case .UNRECOGNIZED(let value): throw InvalidField(path, "\(value) is no known level")
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
