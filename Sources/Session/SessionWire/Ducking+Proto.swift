internal import AnechoicAPI
internal import VoiceSessions

extension SessionConfiguration.Ducking {
  init(_ ducking: Anechoic_V1_OtherAudioDucking, path: String) throws(InvalidFieldError) {
    self.init()
    isAdvanced = ducking.advancedDuckingEnabled
    switch ducking.level {
    case .unspecified: level = .standard
    case .min: level = .min
    case .mid: level = .mid
    case .max: level = .max
    case .UNRECOGNIZED(let value):
      throw InvalidFieldError("\(path).level", "\(value) is not a known level")
    }
  }
}

extension Anechoic_V1_OtherAudioDucking {
  init(_ ducking: SessionConfiguration.Ducking) {
    self.init()
    advancedDuckingEnabled = ducking.isAdvanced
    switch ducking.level {
    case .standard: level = .unspecified
    case .min: level = .min
    case .mid: level = .mid
    case .max: level = .max
    }
  }
}
