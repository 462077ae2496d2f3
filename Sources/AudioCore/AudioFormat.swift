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

  public init(encoding: SampleEncoding, rate: SampleRate, channelCount: Int) {
    self.encoding = encoding
    self.rate = rate
    self.channelCount = channelCount
  }

  /// The number of bytes in one sample of every channel.
  public var bytesPerSampleFrame: Int { encoding.bytesPerSample * channelCount }
}
