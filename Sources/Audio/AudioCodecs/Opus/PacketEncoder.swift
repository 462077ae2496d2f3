public import AudioCore
internal import COpus

/// An encoder of Opus packets (RFC 6716) with libopus.
public struct PacketEncoder: ~Copyable {
  /// The kind of sound that the encoder is tuned for.
  public enum Sound: Sendable { case speech, any }

  /// The samples by which the output of a decoder is behind the input of this encoder.
  public let lookAheadSamples: Int
  private let channelCount: Int
  private let sampleCount: Int
  private let memory: UnsafeMutableRawPointer
  private let encoder: OpaquePointer
  private let packet: UnsafeMutableRawBufferPointer

  /// Creates an encoder. The rate, the number of frames of 10 ms in a packet and the settings are within
  /// the ranges of `OpusSettings`.
  public init(
    rate: SampleRate, channelCount: Int, frames: Int, _ settings: OpusSettings, for sound: Sound
  ) {
    self.channelCount = channelCount
    sampleCount = frames * rate.samplesPerFrame
    let size = max(16, Int(opus_encoder_get_size(Int32(channelCount))))
    memory = .allocate(byteCount: size, alignment: 16)
    encoder = OpaquePointer(memory)
    packet = .allocate(byteCount: OpusSettings.largestPacket(frames: frames), alignment: 16)
    let application = sound == .speech ? OPUS_APPLICATION_VOIP : OPUS_APPLICATION_AUDIO
    var code = opus_encoder_init(encoder, Int32(rate.hertz), Int32(channelCount), application)
    if code == OPUS_OK { code = copus_set_bit_rate(encoder, Int32(settings.bitRate)) }
    if code == OPUS_OK { code = copus_set_complexity(encoder, Int32(settings.complexity)) }
    if code == OPUS_OK {
      code = copus_set_fec(encoder, settings.hasFEC ? 1 : 0, Int32(settings.expectedLoss))
    }
    precondition(code == OPUS_OK, "libopus refused \(settings) at \(rate.hertz) Hz")
    lookAheadSamples = Int(copus_look_ahead(encoder))
  }

  deinit {
    memory.deallocate()
    packet.deallocate()
  }

  /// Encodes the interleaved 32-bit floats of one packet, within -1...1.
  /// Runs per frame: no allocation, lock, log or await.
  ///
  /// - Returns: The packet, valid until the next call.
  public mutating func encode(_ samples: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    precondition(samples.count == sampleCount * channelCount * MemoryLayout<Float>.size)
    guard let floats = samples.assumingMemoryBound(to: Float.self).baseAddress,
      let bytes = packet.assumingMemoryBound(to: UInt8.self).baseAddress
    else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    let size = opus_encode_float(
      encoder, floats, Int32(sampleCount), bytes, Int32(packet.count))
    // An empty chunk is a lost packet. libopus has no reason to fail for whole, finite samples.
    return UnsafeRawBufferPointer(rebasing: packet[..<max(0, Int(size))])
  }
}
