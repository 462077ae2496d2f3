public import AudioCore
internal import COpus

/// A decoder of Opus packets (RFC 6716) with libopus. It adds no delay: the samples of a packet follow
/// those of the packet before.
///
/// A packet may have any bandwidth, mode and number of channels. The decoder converts it to its own
/// rate and channels.
public struct PacketDecoder: ~Copyable {
  /// The longest packet.
  public static let longestPacket = Duration.milliseconds(120)
  /// The largest packet that is decoded, in bytes. A longer one would contain nothing but padding.
  public static let largestPacket = 64 << 10

  /// Samples below this, -180 dBFS, become 0.
  private static let quietest: Float = 1e-9

  public let rate: SampleRate
  public let channelCount: Int
  private let memory: UnsafeMutableRawPointer
  private let decoder: OpaquePointer
  private let samples: UnsafeMutableBufferPointer<Float>
  private let longest: Int

  /// Creates a decoder. The rate is one of `OpusSettings.sampleRates`.
  public init(rate: SampleRate, channelCount: Int) {
    self.rate = rate
    self.channelCount = channelCount
    longest = rate.samples(in: Self.longestPacket)
    let size = max(16, Int(opus_decoder_get_size(Int32(channelCount))))
    memory = .allocate(byteCount: size, alignment: 16)
    decoder = OpaquePointer(memory)
    samples = .allocate(capacity: longest * channelCount)
    samples.initialize(repeating: 0)
    let code = opus_decoder_init(decoder, Int32(rate.hertz), Int32(channelCount))
    precondition(code == OPUS_OK, "Opus has no rate of \(rate.hertz) Hz")
  }

  deinit {
    memory.deallocate()
    samples.deallocate()
  }

  /// Durations of concealed sound are whole multiples of this number of samples: 2.5 ms.
  public var concealmentStep: Int { rate.hertz / 400 }

  /// Returns the number of samples of each channel in a packet, or nil if it is malformed.
  public func sampleCount(of packet: UnsafeRawBufferPointer) -> Int? {
    guard packet.count <= Self.largestPacket else { return nil }
    let count = copus_sample_count(
      packet.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(packet.count),
      Int32(rate.hertz))
    return count > 0 && Int(count) <= longest ? Int(count) : nil
  }

  /// Returns the number of samples before a valid packet that its in-band FEC contains, or 0.
  public func recoverableSamples(before packet: UnsafeRawBufferPointer) -> Int {
    guard let bytes = packet.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
    return Int(copus_recoverable_count(bytes, Int32(packet.count), Int32(rate.hertz)))
  }

  /// Decodes the next packet.
  /// Runs per frame: no allocation, lock, log or await.
  ///
  /// - Returns: The interleaved 32-bit floats, valid until the next call, or nil for a packet that
  ///   cannot be decoded.
  public mutating func decode(_ packet: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard sampleCount(of: packet) != nil else { return nil }
    return decode(packet, count: longest, usesFEC: false)
  }

  /// Continues the sound in place of `count` lost samples, a multiple of `concealmentStep` and at most
  /// 120 ms.
  /// Runs per frame: no allocation, lock, log or await.
  public mutating func conceal(_ count: Int) -> UnsafeRawBufferPointer? {
    decode(UnsafeRawBufferPointer(start: nil, count: 0), count: count, usesFEC: false)
  }

  /// Decodes the `recoverableSamples` before a packet from its in-band FEC. Decode the packet next.
  /// Runs per frame: no allocation, lock, log or await.
  public mutating func recover(
    before packet: UnsafeRawBufferPointer
  ) -> UnsafeRawBufferPointer? {
    decode(packet, count: recoverableSamples(before: packet), usesFEC: true)
  }

  private mutating func decode(
    _ packet: UnsafeRawBufferPointer, count: Int, usesFEC: Bool
  ) -> UnsafeRawBufferPointer? {
    guard count > 0, count <= longest, let target = samples.baseAddress else { return nil }
    let decoded = opus_decode_float(
      decoder, packet.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(packet.count),
      target, Int32(count), usesFEC ? 1 : 0)
    guard decoded > 0 else { return nil }
    let made = UnsafeMutableBufferPointer(rebasing: samples[..<(Int(decoded) * channelCount)])
    // Random packets may decode to anything, and silence decodes to almost nothing.
    for index in made.indices {
      let magnitude = made[index].magnitude
      if !(magnitude >= Self.quietest && magnitude <= .greatestFiniteMagnitude) { made[index] = 0 }
    }
    return UnsafeRawBufferPointer(made)
  }
}
