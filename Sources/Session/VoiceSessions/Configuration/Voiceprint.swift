internal import VoiceEngines

/// The properties that tell a voice from others, as an enrollment has learnt them.
public struct Voiceprint: Sendable, Equatable {
  /// The encoder that made it.
  public var encoder: String
  /// A vector of length 1.
  public var values: [Float]

  public init(encoder: String, values: [Float]) {
    self.encoder = encoder
    self.values = values
  }

  /// Whether an engine can isolate the voice.
  func fits(_ engine: any EnrollmentEngine.Type) -> Bool {
    encoder == engine.encoder && values.count == engine.voiceprintLength
  }
}
