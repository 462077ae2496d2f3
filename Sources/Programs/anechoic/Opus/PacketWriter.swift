internal import AudioCodecs
internal import AudioCore
internal import Foundation

/// Makes Opus packets of the samples of a file.
struct PacketWriter: ~Copyable {
  static let framesPerPacket = OpusSettings.defaultPacketFrames

  private let format: AudioFormat
  private let frame: Frame
  private var queue: SampleQueue
  private var encoder: PacketEncoder

  /// Creates a writer for samples of a format with a rate of Opus.
  init(_ format: AudioFormat) {
    self.format = .opus(format.rate, channelCount: format.channelCount)
    frame = Frame(rate: format.rate, channelCount: format.channelCount)
    queue = SampleQueue(format: format)
    encoder = PacketEncoder(
      rate: format.rate, channelCount: format.channelCount, frames: Self.framesPerPacket,
      OpusSettings(channelCount: format.channelCount), for: .speech)
  }

  /// Returns a packet of 20 ms of samples. Fewer, at the end, are followed by silence.
  mutating func packet(_ samples: [UInt8]) -> Data {
    _ = samples.withUnsafeBytes { queue.append($0) }
    let size = frame.sampleCount * format.bytesPerSampleFrame
    var bytes = [UInt8](repeating: 0, count: size * Self.framesPerPacket)
    return bytes.withUnsafeMutableBytes { bytes in
      for start in stride(from: 0, to: bytes.count, by: size) where queue.count > 0 {
        let count = queue.read(into: frame)
        SampleCoding.encode(
          frame, count: count, format,
          into: UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + size]))
      }
      return Data(encoder.encode(UnsafeRawBufferPointer(bytes)))
    }
  }
}
