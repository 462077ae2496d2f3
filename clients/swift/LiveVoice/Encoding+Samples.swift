internal import Foundation

extension LiveVoiceOptions.Encoding {
  /// Returns plain samples as bytes, little-endian.
  func data(_ samples: [Float]) -> Data {
    switch self {
    case .opus: Data()
    case .float32: samples.withUnsafeBytes { Data($0) }
    case .int16: samples.map { Int16(sample: $0) }.withUnsafeBytes { Data($0) }
    }
  }

  /// Returns the samples of bytes. Bytes that do not make a whole sample are left out.
  func samples(_ data: Data) -> [Float] {
    data.withUnsafeBytes { bytes in
      switch self {
      case .opus: []
      case .float32:
        (0..<bytes.count / 4).map {
          bytes.loadUnaligned(fromByteOffset: $0 * 4, as: Float.self).playable
        }
      case .int16:
        (0..<bytes.count / 2).map {
          bytes.loadUnaligned(fromByteOffset: $0 * 2, as: Int16.self).sample
        }
      }
    }
  }
}

extension Float {
  /// The sample for a loudspeaker: silence if the server sent a value that is not a number, and
  /// full scale for an infinite one.
  fileprivate var playable: Float {
    isNaN ? 0 : isInfinite ? (self > 0 ? 1 : -1) : self
  }
}
