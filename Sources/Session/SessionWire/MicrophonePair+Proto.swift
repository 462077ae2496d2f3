internal import AnechoicAPI
internal import VoiceSessions

extension MicrophonePair.Layout {
  /// Converts an arrangement. Throws for one that is not supported.
  init(_ pair: Anechoic_V1_MicrophonePair, path: String) throws(InvalidFieldError) {
    guard Self.spacings.contains(pair.spacingMillimeters / 1000) else {
      throw InvalidFieldError("\(path).spacing_millimeters", "must be 5 to 50")
    }
    let pattern: Pattern
    switch pair.pattern {
    case .cardioid: pattern = .cardioid
    case .stereo: pattern = .stereo
    case .unspecified, .UNRECOGNIZED:
      throw InvalidFieldError("\(path).pattern", "must be CARDIOID or STEREO")
    }
    self.init(
      spacing: pair.spacingMillimeters / 1000, pattern: pattern, isTurned: pair.turned)
  }
}

extension Anechoic_V1_MicrophonePair {
  init(_ layout: MicrophonePair.Layout) {
    self.init()
    spacingMillimeters = layout.spacing * 1000
    turned = layout.isTurned
    pattern =
      switch layout.pattern {
      case .cardioid: .cardioid
      case .stereo: .stereo
      }
  }
}
