internal import AudioCore

/// A frame and its bytes in the format of FIFOs and files: signed 16 bits, little-endian,
/// interleaved.
struct RawFrame: ~Copyable {
  let frame: Frame
  let format: AudioFormat
  var bytes: [UInt8]

  init(rate: SampleRate, channelCount: Int) {
    frame = Frame(rate: rate, channelCount: channelCount)
    format = AudioFormat(encoding: .s16, rate: rate, channelCount: channelCount)
    bytes = [UInt8](repeating: 0, count: rate.samplesPerFrame * format.bytesPerSampleFrame)
  }

  mutating func encode() {
    bytes.withUnsafeMutableBytes {
      SampleCoding.encode(frame, count: frame.sampleCount, format, into: $0)
    }
  }

  func decode() {
    bytes.withUnsafeBytes { bytes in
      for channel in 0..<frame.channelCount {
        // 16-bit samples are always finite.
        _ = SampleCoding.decode(
          bytes, format, channel: channel, into: frame.planePointers[channel],
          count: frame.sampleCount)
      }
    }
  }
}
