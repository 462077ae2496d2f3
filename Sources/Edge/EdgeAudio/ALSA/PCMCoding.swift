internal import CALSA

/// The sample encoding of a device, in order of preference.
enum PCMCoding: CaseIterable {
  /// `s24` has its 24 bits in the lower part of 32, and `s24Packed` in three bytes.
  case s16, s32, float, s24, s24Packed

  var alsa: snd_pcm_format_t {
    switch self {
    case .s16: SND_PCM_FORMAT_S16_LE
    case .s32: SND_PCM_FORMAT_S32_LE
    case .float: SND_PCM_FORMAT_FLOAT_LE
    case .s24: SND_PCM_FORMAT_S24_LE
    case .s24Packed: SND_PCM_FORMAT_S24_3LE
    }
  }

  var bytesPerSample: Int {
    switch self {
    case .s16: 2
    case .s24Packed: 3
    case .s32, .float, .s24: 4
    }
  }

  /// Decodes samples. Runs per frame: no allocation, lock, log or await.
  func decode(
    _ bytes: UnsafeMutableRawBufferPointer, into samples: UnsafeMutablePointer<Float>, count: Int
  ) {
    for index in 0..<count {
      let offset = index * bytesPerSample
      switch self {
      case .s16:
        samples[index] =
          Float(Int16(littleEndian: bytes.load(fromByteOffset: offset, as: Int16.self))) / 32768
      case .s32:
        samples[index] =
          Float(Int32(littleEndian: bytes.load(fromByteOffset: offset, as: Int32.self)))
          / 2_147_483_648
      case .float:
        let value = bytes.load(fromByteOffset: offset, as: Float.self)
        samples[index] = value.isFinite ? max(-1, min(1, value)) : 0
      // The fourth byte of `s24` means nothing.
      case .s24, .s24Packed:
        let high = Int32(Int8(bitPattern: bytes[offset + 2])) << 16
        samples[index] =
          Float(high | Int32(bytes[offset + 1]) << 8 | Int32(bytes[offset])) / 8_388_608
      }
    }
  }

  /// Encodes samples. Clips values beyond -1...1. Runs per frame: no allocation, lock, log or
  /// await.
  func encode(
    _ samples: UnsafePointer<Float>, into bytes: UnsafeMutableRawBufferPointer, count: Int
  ) {
    for index in 0..<count {
      let offset = index * bytesPerSample
      let value = max(-1, min(1, samples[index]))
      switch self {
      case .s16:
        let code = Int16(max(-32768, min(32767, (value * 32768).rounded())))
        bytes.storeBytes(of: code.littleEndian, toByteOffset: offset, as: Int16.self)
      case .s32:
        let code = Int32(max(-2_147_483_648, min(2_147_483_647, Double(value) * 2_147_483_648)))
        bytes.storeBytes(of: code.littleEndian, toByteOffset: offset, as: Int32.self)
      case .float: bytes.storeBytes(of: value, toByteOffset: offset, as: Float.self)
      case .s24, .s24Packed:
        let code = Int32(max(-8_388_608, min(8_388_607, (value * 8_388_608).rounded())))
        for byte in 0..<bytesPerSample {
          bytes[offset + byte] = UInt8(truncatingIfNeeded: code >> (8 * Int32(byte)))
        }
      }
    }
  }
}
