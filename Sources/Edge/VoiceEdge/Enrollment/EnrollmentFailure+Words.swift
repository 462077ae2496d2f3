public import AnechoicAPI

extension Anechoic_V1_VoiceEnrollmentChanged.Failure {
  /// The reason, for people. Empty if there is none.
  public var words: String {
    switch self {
    case .severalVoices: "several voices were heard"
    case .tooLittleVoice: "less than 2 s of a sure voice were heard"
    case .unspecified, .UNRECOGNIZED: ""
    }
  }
}
