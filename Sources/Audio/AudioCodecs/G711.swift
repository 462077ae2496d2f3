/// The 8-bit codes of telephony: µ-law (North America, Japan) or A-law (elsewhere).
///
/// Source: ITU-T Recommendation G.711. A code is a sign, a segment of a logarithmic scale, and four bits
/// within the segment.
public enum G711: Sendable {
  case muLaw
  case aLaw

  /// The code of silence.
  public var silence: UInt8 { self == .muLaw ? 0xFF : 0xD5 }

  /// Returns the sample of a code.
  public func sample(_ code: UInt8) -> Int16 {
    switch self {
    case .muLaw:
      let bits = ~code
      let segment = Int(bits >> 4) & 7
      let magnitude = ((Int(bits & 0x0F) << 3 + Self.bias) << segment) - Self.bias
      return Int16(bits & 0x80 == 0 ? magnitude : -magnitude)
    case .aLaw:
      let bits = code ^ 0x55
      let segment = Int(bits >> 4) & 7
      let step = Int(bits & 0x0F) << 4 + 8
      let magnitude = segment == 0 ? step : (step + 0x100) << (segment - 1)
      return Int16(bits & 0x80 != 0 ? magnitude : -magnitude)
    }
  }

  /// Returns the code of the interval that contains a sample.
  public func code(_ sample: Int16) -> UInt8 {
    let isNegative = sample < 0
    switch self {
    case .muLaw:
      let magnitude = min(abs(Int(sample)), Self.largest) + Self.bias
      let segment = Self.segment(magnitude >> 7)
      let code = UInt8(segment << 4 | (magnitude >> (segment + 3)) & 0x0F)
      return ~(isNegative ? code | 0x80 : code)
    case .aLaw:
      // A negative sample has the code of the value below its magnitude: -1 and 0 differ in the sign only.
      let magnitude = isNegative ? -Int(sample) - 1 : Int(sample)
      let segment = Self.segment((magnitude >> 8) << 1)
      let code = UInt8(segment << 4 | (magnitude >> max(4, segment + 3)) & 0x0F)
      return (isNegative ? code : code | 0x80) ^ 0x55
    }
  }

  public func samples(_ codes: some Collection<UInt8>) -> [Int16] { codes.map { sample($0) } }

  public func codes(_ samples: some Collection<Int16>) -> [UInt8] { samples.map { code($0) } }

  /// The addend that makes the segments of µ-law powers of two.
  private static let bias = 0x84
  /// The largest magnitude of µ-law.
  private static let largest = 32635

  /// Returns the place of the highest bit, 0 to 7.
  private static func segment(_ value: Int) -> Int {
    min(7, Int.bitWidth - 1 - max(1, value).leadingZeroBitCount)
  }
}
