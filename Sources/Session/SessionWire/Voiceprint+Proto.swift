public import AnechoicAPI
public import VoiceSessions

extension Anechoic_V1_Voiceprint {
  public init(_ voiceprint: Voiceprint) {
    self.init()
    encoder = voiceprint.encoder
    values = HalfFloats.data(voiceprint.values)
  }
}

extension Voiceprint {
  private static let largest = 2 << 10
  private static let longestEncoder = 63
  /// Halves round the values, and the length by less than this.
  private static let tolerance: Float = 0.01

  /// Converts a voiceprint. Throws for one that no session can have told.
  init(_ voiceprint: Anechoic_V1_Voiceprint, path: String) throws(InvalidFieldError) {
    guard (1...Self.longestEncoder).contains(voiceprint.encoder.utf8.count) else {
      throw InvalidFieldError("\(path).encoder", "must have 1 to \(Self.longestEncoder) bytes")
    }
    let values = try HalfFloats.values(
      voiceprint.values, atMost: Self.largest, path: "\(path).values")
    let length = values.reduce(0) { $0 + $1 * $1 }.squareRoot()
    guard abs(length - 1) <= Self.tolerance else {
      throw InvalidFieldError("\(path).values", "must be a vector of length 1, not \(length)")
    }
    self.init(encoder: voiceprint.encoder, values: values)
  }
}
