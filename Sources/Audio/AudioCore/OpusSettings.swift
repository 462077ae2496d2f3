/// The settings of an Opus encoder.
public struct OpusSettings: Sendable, Hashable {
  /// The rates of the samples that Opus encodes and decodes.
  public static let sampleRates: [SampleRate] = [.hz8000, .hz16000, .hz24000, .hz48000]
  /// In bits per second.
  public static let bitRates = 6_000...510_000
  /// The values of `complexity`.
  public static let complexities = 0...10
  /// The values of `expectedLoss`.
  public static let lossPercentages = 0...100
  /// The durations of the packets of an output, in frames of 10 ms.
  public static let packetFrames = [1, 2, 4, 6]
  /// The duration of a packet without a setting, in frames of 10 ms.
  public static let defaultPacketFrames = 2
  /// The effort of an encoder without a setting.
  public static let defaultComplexity = 1

  /// Returns the bit rate of an encoder without a setting, in bits per second.
  public static func defaultBitRate(channelCount: Int) -> Int { 32_000 * channelCount }
  /// Returns the expected loss of an encoder without a setting, in percent.
  public static func defaultLoss(hasFEC: Bool) -> Int { hasFEC ? 10 : 0 }

  /// In bits per second.
  public var bitRate: Int
  /// The effort of the encoder.
  public var complexity: Int
  /// Whether packets contain a copy of the speech of the packet before.
  public var hasFEC: Bool
  /// The share of packets that is expected to be lost, in percent.
  public var expectedLoss: Int

  /// Creates settings. Those that are nil have their defaults.
  public init(
    channelCount: Int, bitRate: Int? = nil, complexity: Int? = nil, hasFEC: Bool = false,
    expectedLoss: Int? = nil
  ) {
    self.bitRate = bitRate ?? Self.defaultBitRate(channelCount: channelCount)
    self.complexity = complexity ?? Self.defaultComplexity
    self.hasFEC = hasFEC
    self.expectedLoss = expectedLoss ?? Self.defaultLoss(hasFEC: hasFEC)
  }

  /// Returns the maximum size in bytes of a packet with `frames` frames of 10 ms: 1,275 for each 20
  /// ms, and the lengths of its parts.
  public static func largestPacket(frames: Int) -> Int { 1280 * max(1, (frames + 1) / 2) }
}
