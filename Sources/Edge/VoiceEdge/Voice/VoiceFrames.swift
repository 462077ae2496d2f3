internal import AnechoicAPI
internal import AudioCore
internal import Foundation
internal import SessionWire

/// The encoding of frames for the server: 16 bits.
enum VoiceFrames {
  static func format(of frame: borrowing Frame) -> AudioFormat {
    AudioFormat(encoding: .s16, rate: frame.rate, channelCount: frame.channelCount)
  }

  static func format(_ rate: SampleRate, _ channelCount: Int) -> Anechoic_V1_AudioFormat {
    Anechoic_V1_AudioFormat(
      AudioFormat(encoding: .s16, rate: rate, channelCount: channelCount))
  }

  static func chunk(_ frame: borrowing Frame, time: Int64? = nil) -> Anechoic_V1_AudioChunk {
    var chunk = Anechoic_V1_AudioChunk()
    let format = format(of: frame)
    var samples = Data(count: frame.sampleCount * format.bytesPerSampleFrame)
    samples.withUnsafeMutableBytes {
      SampleCoding.encode(frame, count: frame.sampleCount, format, into: $0)
    }
    chunk.samples = samples
    if let time { chunk.deviceTimeNs = time }
    return chunk
  }

  /// Calls `body` with each whole frame of a chunk and the index of its first sample. Without a format,
  /// the samples have 16 bits.
  static func decode(
    _ chunk: Anechoic_V1_AudioChunk, _ format: AudioFormat? = nil, into frame: borrowing Frame,
    _ body: (borrowing Frame, Int64) -> Void
  ) {
    let format = format ?? Self.format(of: frame)
    let size = frame.sampleCount * format.bytesPerSampleFrame
    // Ignores an index that no session can have reached.
    guard (0..<(1 << 53)).contains(chunk.firstSample) else { return }
    chunk.samples.withUnsafeBytes { bytes in
      for index in 0..<(bytes.count / size) {
        let part = UnsafeRawBufferPointer(rebasing: bytes[(index * size)..<((index + 1) * size)])
        for channel in 0..<frame.channelCount {
          _ = SampleCoding.decode(
            part, format, channel: channel, into: frame.planePointers[channel],
            count: frame.sampleCount)
        }
        body(frame, chunk.firstSample + Int64(index * frame.sampleCount))
      }
    }
  }
}
