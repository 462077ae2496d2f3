import AudioCodecs
import AudioCore
import TestAudio
import Testing

/// Packets that are missing or damaged.
struct LostPacketTests {
  private static let sound = Signals.babble(32_000, rate: .hz16000)

  @Test func aLostPacketIsConcealedAndForwardErrorCorrectionRecoversMoreOfIt() {
    func error(hasFEC: Bool) -> Float {
      let settings = OpusSettings(channelCount: 1, hasFEC: hasFEC, expectedLoss: 20)
      let sound = Packets.voice(32_000, rate: 16_000)
      let packets = Packets.encode([sound], .hz16000, settings)
      let whole = Packets.decode(packets, .hz16000)
      var decoder = PacketDecoder(rate: .hz16000, channelCount: 1)
      var received: [Float] = []
      for (index, packet) in packets.enumerated() where index % 5 != 4 {
        packet.withUnsafeBytes { packet in
          if index % 5 == 0, index > 0 {
            let made = hasFEC ? decoder.recover(before: packet) : decoder.conceal(320)
            received += Packets.firstChannel(made ?? decoder.conceal(320))
          }
          received += Packets.firstChannel(decoder.decode(packet))
        }
      }
      return level(zip(whole, received).map { $0 - $1 }) - level(whole)
    }
    #expect(error(hasFEC: true) < error(hasFEC: false) - 6)
  }

  @Test func concealedSoundGoesOn() {
    let tone = (0..<16_000).map { 0.3 * Float(($0 % 80) < 40 ? 1 : -1) }
    let packets = Packets.encode([tone], .hz16000)
    var decoder = PacketDecoder(rate: .hz16000, channelCount: 1)
    for packet in packets { packet.withUnsafeBytes { _ = decoder.decode($0) } }
    let first = level(Packets.firstChannel(decoder.conceal(160)))
    #expect(first > -20)
    let later = level(Packets.firstChannel(decoder.conceal(1920)))
    #expect(later > -40 && later < 0)
  }

  @Test func malformedPacketsAreRefused() {
    var decoder = PacketDecoder(rate: .hz16000, channelCount: 1)
    let malformed: [[UInt8]] = [
      [],  // no packet
      [3], [3, 0], [3, 0xFF],  // no number of frames, none, and more than fit
      [1, 2], [2], [2, 200, 1],  // two frames of different or impossible lengths
      [24 | 3, 3] + [UInt8](repeating: 0, count: 8),  // three frames of 60 ms: more than 120 ms
      [0] + [UInt8](repeating: 1, count: 1276),  // a frame of more than 1,275 bytes
      [UInt8](repeating: 0xFF, count: 1 << 20),
    ]
    for packet in malformed {
      packet.withUnsafeBytes { packet in
        let (count, decoded) = (decoder.sampleCount(of: packet), decoder.decode(packet))
        #expect(count == nil && decoded == nil)
      }
    }
  }

  /// libopus decodes any bits, and the samples stay numbers.
  @Test func randomPacketsDoNoHarm() {
    var decoder = PacketDecoder(rate: .hz48000, channelCount: 2)
    var state: UInt64 = 7
    func random(_ limit: UInt64) -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) % limit
    }
    var decodedCount = 0
    for _ in 0..<2000 {
      let packet = (0..<random(300)).map { _ in UInt8(random(256)) }
      packet.withUnsafeBytes { packet in
        let recoverable = decoder.recoverableSamples(before: packet)
        if decoder.sampleCount(of: packet) != nil, recoverable > 0 {
          _ = decoder.recover(before: packet)
        }
        guard let samples = decoder.decode(packet) else { return }
        decodedCount += 1
        #expect(samples.bindMemory(to: Float.self).allSatisfy { $0.isFinite })
      }
    }
    #expect(decodedCount > 500)
  }

  @Test func aTruncatedPacketIsRefusedOrDecodedAndTheNextOnesSoundRight() {
    let packets = Packets.encode([Self.sound], .hz16000)
    let whole = Packets.decode(packets, .hz16000)
    var decoder = PacketDecoder(rate: .hz16000, channelCount: 1)
    var received: [Float] = []
    for (index, packet) in packets.enumerated() {
      let sent = index == 10 ? Array(packet.prefix(packet.count / 2)) : packet
      sent.withUnsafeBytes { received += Packets.firstChannel(decoder.decode($0)) }
    }
    #expect(received.count == whole.count)
    let (late, lateWhole) = (received.suffix(16_000), whole.suffix(16_000))
    let error = level(zip(late, lateWhole).map { $0 - $1 })
    #expect(error < level(lateWhole) - 20)
  }
}
