internal import AnechoicAPI
internal import AudioCore
internal import AudioFiles

/// A file that receives one output of a session.
struct OutputTrack: ~Copyable {
  /// The longest gap in the output, in seconds: the longest `--reconnect`, and what may go before it.
  private static let longestGap = 3600 + 600

  let file: AudioFileWriter
  /// The number of samples of the whole output, or nil if it is not known.
  private let length: Int?
  /// Nil if the audio is no Opus.
  private var packets: PacketReader?

  init(_ file: AudioFileWriter, isOpus: Bool, length: Int?) {
    self.file = file
    self.length = length
    packets = isOpus ? PacketReader(file.format) : nil
  }

  /// Writes a chunk, and silence in place of output that was lost before it. Returns the samples of the
  /// chunk.
  @discardableResult
  mutating func write(_ chunk: Anechoic_V1_AudioChunk) throws -> [UInt8] {
    let samples: [UInt8]
    if let decoded = packets?.samples(of: chunk) {
      samples = fitting(decoded)
    } else {
      samples = Array(chunk.samples)
      try fill(to: chunk.firstSample)
    }
    try file.write(samples)
    return samples
  }

  /// Writes silence in place of output that was lost with a connection, up to the sample `first`.
  private func fill(to first: Int64) throws {
    var missing = Int(clamping: first) - file.sampleCount
    // The index of a server that is away for longer is wrong: the session would have been given up.
    guard missing <= Self.longestGap * file.format.rate.hertz else { return }
    while missing > 0 {
      let count = min(missing, file.format.rate.hertz)
      try file.write([UInt8](repeating: 0, count: count * file.format.bytesPerSampleFrame))
      missing -= count
    }
  }

  /// Returns the decoded samples that belong into the file. The last packet of a session may be longer
  /// than the rest of the sound.
  private func fitting(_ samples: [UInt8]) -> [UInt8] {
    guard let length else { return samples }
    return Array(
      samples.prefix(max(0, length - file.sampleCount) * file.format.bytesPerSampleFrame))
  }
}
