internal import Foundation

/// A recording of a card that goes on.
public struct CardRecording: Sendable {
  private let file: String
  private let coding: SoundCards.Coding
  private let channels: Int

  init(file: String, _ coding: SoundCards.Coding, channels: Int) {
    (self.file, self.coding, self.channels) = (file, coding, channels)
  }

  /// Returns the samples of a channel so far. The first channel is 1.
  public func samples(ofChannel channel: Int) -> [Float] {
    let bytes = (try? Data(contentsOf: URL(filePath: file))) ?? Data()
    let all = coding.decoded(bytes)
    return stride(from: channel - 1, to: all.count / channels * channels, by: channels).map {
      all[$0]
    }
  }
}

extension SoundCards.Coding {
  private var byteCount: Int {
    switch self {
    case .s16: 2
    case .s24Packed: 3
    case .s24, .s32: 4
    }
  }

  private var bitCount: Int {
    switch self {
    case .s16: 16
    case .s24, .s24Packed: 24
    case .s32: 32
    }
  }

  /// The options of ALSA's programs.
  func options(_ channels: Int, _ rate: Int) -> [String] {
    ["-t", "raw", "-f", rawValue, "-c", "\(channels)", "-r", "\(rate)"]
  }

  func encoded(_ samples: [Float]) -> Data {
    var bytes = Data(capacity: samples.count * byteCount)
    for sample in samples {
      let code = Int32(Double(max(-1, min(1, sample))) * 2_147_483_647) >> Int32(32 - bitCount)
      for byte in 0..<byteCount {
        bytes.append(UInt8(truncatingIfNeeded: code >> Int32(8 * byte)))
      }
    }
    return bytes
  }

  func decoded(_ bytes: Data) -> [Float] {
    bytes.withUnsafeBytes { bytes in
      (0..<(bytes.count / byteCount)).map { index in
        var code: UInt32 = 0
        for byte in 0..<byteCount {
          code |= UInt32(bytes[index * byteCount + byte]) << UInt32(8 * byte)
        }
        return Float(Double(Int32(bitPattern: code << UInt32(32 - bitCount))) / 2_147_483_648)
      }
    }
  }
}
