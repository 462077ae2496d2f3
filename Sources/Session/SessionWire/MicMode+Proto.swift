public import AnechoicAPI
public import VoiceSessions

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
