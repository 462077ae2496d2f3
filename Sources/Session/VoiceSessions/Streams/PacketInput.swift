internal import AudioCodecs
internal import AudioCore

/// Decodes the Opus packets of an input into its queue, and conceals the packets that were lost.
struct PacketInput: ~Copyable {
  /// The longest part of a gap that the decoder conceals. The rest is silence, as in a gap of plain
  /// samples.
  private static let longestConcealment = PacketDecoder.longestPacket

  private var decoder: PacketDecoder
  /// The samples that the decoder has concealed since the last packet.
  private var concealed = 0

  init(_ format: AudioFormat) {
    decoder = PacketDecoder(rate: format.rate, channelCount: format.channelCount)
  }

  /// Returns the number of samples of each channel in a packet; 0 for no packet.
  func sampleCount(of packet: UnsafeRawBufferPointer) throws(InputError) -> Int {
    guard !packet.isEmpty else { return 0 }
    guard packet.count <= PacketDecoder.largestPacket else {
      throw .tooLarge(bytes: packet.count, limit: PacketDecoder.largestPacket)
    }
    guard let count = decoder.sampleCount(of: packet) else { throw .notAPacket }
    return count
  }

  /// Appends `count` samples in place of those that are missing before a packet: the sound that goes
  /// on, then silence, and at the end the sound that the packet recovers.
  /// Runs per frame: no allocation, lock, log or await.
  mutating func conceal(
    _ count: Int, before packet: UnsafeRawBufferPointer, into queue: inout SampleQueue
  ) {
    let recoverable = decoder.recoverableSamples(before: packet)
    let recovered = recoverable <= count ? recoverable : 0
    let longest = queue.format.rate.samples(in: Self.longestConcealment) - concealed
    let step = decoder.concealmentStep
    var left = count - recovered
    if let samples = decoder.conceal(min(left, longest) / step * step) {
      concealed += queue.appendDecoded(samples)
      left = count - recovered - samples.count / queue.format.bytesPerSampleFrame
    }
    if left > 0 { queue.appendConcealment(left) }
    guard recovered > 0 else { return }
    if let samples = decoder.recover(before: packet) {
      queue.appendDecoded(samples)
    } else {
      queue.appendConcealment(recovered)
    }
  }

  /// Decodes a packet and appends its samples, except for the first ones that are late.
  /// Runs per frame: no allocation, lock, log or await.
  mutating func append(
    _ packet: UnsafeRawBufferPointer, droppingFirst late: Int, into queue: inout SampleQueue
  ) throws(InputError) {
    guard let samples = decoder.decode(packet) else { throw .notAPacket }
    concealed = 0
    queue.appendDecoded(
      UnsafeRawBufferPointer(rebasing: samples[(late * queue.format.bytesPerSampleFrame)...]))
  }
}

extension SampleQueue {
  /// Appends samples of a decoder, which are finite. Returns their number.
  @discardableResult
  fileprivate mutating func appendDecoded(_ samples: UnsafeRawBufferPointer) -> Int {
    _ = append(samples)
    return samples.count / format.bytesPerSampleFrame
  }
}
