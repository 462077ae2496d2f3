internal import AnechoicAPI
internal import AudioCore
internal import Foundation
internal import VoiceSessions

/// Makes samples of the Opus packets of an output.
struct PacketReader: ~Copyable {
  private let format: AudioFormat
  private let frame: Frame
  private var timeline: InputTimeline
  /// The index of the timeline's first sample.
  private var base: Int64?

  /// Creates a reader whose samples have a format with a rate of Opus.
  init(_ format: AudioFormat) {
    self.format = format
    frame = Frame(rate: format.rate, channelCount: format.channelCount)
    timeline = Self.timeline(format)
  }

  /// Returns the samples of the next packet, after those of the packets that are missing before it. A
  /// packet that is not valid gives nothing.
  mutating func samples(_ packet: some Collection<UInt8>, firstSample: Int64) -> [UInt8] {
    let position = firstSample - (base ?? firstSample)
    let longest = Int64(format.rate.samples(in: InputTimeline.longestGap))
    if base == nil || !(0...longest).contains(position - timeline.arrived) {
      timeline = Self.timeline(format)
      base = firstSample
    }
    _ = Array(packet).withUnsafeBytes { bytes in
      try? timeline.append(bytes, firstSample: firstSample - (base ?? 0))
    }
    var samples: [UInt8] = []
    while timeline.waiting > 0 {
      let count = timeline.read(into: frame)
      var bytes = [UInt8](repeating: 0, count: count * format.bytesPerSampleFrame)
      bytes.withUnsafeMutableBytes { SampleCoding.encode(frame, count: count, format, into: $0) }
      samples += bytes
    }
    return samples
  }

  /// Returns the samples of a chunk with a packet.
  mutating func samples(of chunk: Anechoic_V1_AudioChunk) -> [UInt8] {
    samples(chunk.samples, firstSample: chunk.firstSample)
  }

  private static func timeline(_ format: AudioFormat) -> InputTimeline {
    InputTimeline(
      format: .opus(format.rate, channelCount: format.channelCount), longestLead: nil)
  }
}
