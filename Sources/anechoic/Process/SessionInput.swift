internal import AnechoicAPI

/// One of the inputs that a session can have, and where it stands in the messages.
enum SessionInput {
  case microphone
  case reference
  case farEnd
  case otherAudio

  var chunk: WritableKeyPath<Anechoic_V1_AudioInput, Anechoic_V1_AudioChunk> {
    switch self {
    case .microphone: \.microphone
    case .reference: \.reference
    case .farEnd: \.farEnd
    case .otherAudio: \.otherAudio
    }
  }

  var format: WritableKeyPath<Anechoic_V1_Start.Inputs, Anechoic_V1_AudioFormat> {
    switch self {
    case .microphone: \.microphone
    case .reference: \.reference
    case .farEnd: \.farEnd
    case .otherAudio: \.otherAudio
    }
  }
}
