/// The encoding of samples on the wire and in memory, interleaved and little-endian.
public enum SampleEncoding: Sendable, CaseIterable {
  case s16
  /// 32-bit floats with a nominal range of -1...1.
  case f32

  public var bytesPerSample: Int {
    switch self {
    case .s16: 2
    case .f32: 4
    }
  }
}

/// The format of one stream of audio.
public struct AudioFormat: Sendable, Hashable {
  public static let channelCounts = 1...2

  public var encoding: SampleEncoding
  public var rate: SampleRate
  public var channelCount: Int
  /// The settings of the Opus packets that carry the samples on the wire, or nil for plain samples.
  /// `encoding` is then the encoding of the decoded samples.
  public var opus: OpusSettings?

  public init(
    encoding: SampleEncoding, rate: SampleRate, channelCount: Int, opus: OpusSettings? = nil
  ) {
    self.encoding = encoding
    self.rate = rate
    self.channelCount = channelCount
    self.opus = opus
  }

  /// Creates a format of Opus packets. `settings` are those of an output, or nil for the defaults.
  public static func opus(
    _ rate: SampleRate, channelCount: Int = 1, _ settings: OpusSettings? = nil
  ) -> AudioFormat {
    AudioFormat(
      encoding: .f32, rate: rate, channelCount: channelCount,
      opus: settings ?? OpusSettings(channelCount: channelCount))
  }

  /// The number of bytes in one decoded sample of every channel.
  public var bytesPerSampleFrame: Int { encoding.bytesPerSample * channelCount }

  /// Returns the maximum size in bytes of a chunk with `frames` frames of 10 ms.
  public func largestChunk(frames: Int) -> Int {
    opus == nil
      ? frames * rate.samplesPerFrame * bytesPerSampleFrame
      : OpusSettings.largestPacket(frames: frames)
  }
}
