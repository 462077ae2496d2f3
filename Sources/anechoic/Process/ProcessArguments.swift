internal import AnechoicAPI
internal import ArgumentParser

enum MicModeArgument: String, ExpressibleByArgument, CaseIterable {
  case standard
  case voiceIsolation = "voice-isolation"
  case wideSpectrum = "wide-spectrum"

  var mode: Anechoic_V1_MicMode {
    switch self {
    case .standard: .standard
    case .voiceIsolation: .voiceIsolation
    case .wideSpectrum: .wideSpectrum
    }
  }
}

enum NoiseSuppressionArgument: String, ExpressibleByArgument, CaseIterable {
  case off
  case low
  case moderate
  case high
  case veryHigh = "very-high"

  var stage: Anechoic_V1_VoiceProcessing.NoiseSuppression {
    var stage = Anechoic_V1_VoiceProcessing.NoiseSuppression()
    stage.enabled = self != .off
    switch self {
    case .off: break
    case .low: stage.level = .low
    case .moderate: stage.level = .moderate
    case .high: stage.level = .high
    case .veryHigh: stage.level = .veryHigh
    }
    return stage
  }
}

enum SwitchArgument: String, ExpressibleByArgument, CaseIterable {
  case on
  case off
}

enum PacingArgument: String, ExpressibleByArgument, CaseIterable {
  case mediaClock = "media-clock"
  case realTime = "real-time"

  var pacing: Anechoic_V1_Pacing {
    switch self {
    case .mediaClock: .mediaClock
    case .realTime: .realTime
    }
  }
}

enum DuckingArgument: String, ExpressibleByArgument, CaseIterable {
  case `default`
  case min
  case mid
  case max

  var level: Anechoic_V1_OtherAudioDucking.Level {
    switch self {
    case .default: .unspecified
    case .min: .min
    case .mid: .mid
    case .max: .max
    }
  }
}

enum GesturePolicyArgument: String, ExpressibleByArgument, CaseIterable {
  case apply
  case ask
  case ignore

  var policy: Anechoic_V1_MuteGesturePolicy {
    switch self {
    case .apply: .apply
    case .ask: .ask
    case .ignore: .ignore
    }
  }
}

enum GrantInjectionArgument: String, ExpressibleByArgument, CaseIterable {
  case ask
  case always
  case never
}
