import AudioCodecs
import AudioCore
import TestAudio
import Testing

@testable import VoiceSessions

/// The timeline of an input whose chunks are Opus packets of 20 ms at 16 kHz.
struct OpusInputTests {
  private static let sound = Signals.babble(16_000, rate: .hz16000)

  @Test func packetsFollowEachOther() throws {
    let packets = Packets.encode([Self.sound], .hz16000)
    let input = Input()
    for packet in packets { #expect(try input.send(packet) == 0) }
    #expect(input.take() == Packets.decode(packets, .hz16000))
  }

  @Test func aGapIsConcealedByTheDecoderAndThenSilent() throws {
    let tone = (0..<16_000).map { 0.3 * Float(($0 % 80) < 40 ? 1 : -1) }
    let packets = Packets.encode([tone], .hz16000)
    let input = Input()
    for packet in packets[..<25] { try input.send(packet) }
    #expect(try input.send(packets[25], at: 25 * 320 + 8000) == 8000)
    let samples = input.take()
    #expect(samples.count == 26 * 320 + 8000)
    let gap = samples[(25 * 320)..<(25 * 320 + 8000)]
    #expect(level(gap.prefix(160)) > -30)
    // 120 ms are concealed, and the sound then fades within 5 ms.
    #expect(gap.dropFirst(2000 + 80).allSatisfy { $0 == 0 })
    #expect(gap.dropFirst(1000).prefix(900).contains { $0 != 0 })
  }

  @Test func chunksWithoutAPacketExtendTheGap() throws {
    let packets = Packets.encode([Self.sound], .hz16000)
    let (inOne, inParts) = (Input(), Input())
    for packet in packets[..<10] {
      try inOne.send(packet)
      try inParts.send(packet)
    }
    try inOne.send([], at: 3200 + 6400)
    for part in 1...20 { try inParts.send([], at: 3200 + 320 * Int64(part)) }
    #expect(inOne.take() == inParts.take())
    #expect(throws: InputError.empty) { try inOne.send([]) }
  }

  @Test func theEndOfAGapIsRecoveredFromTheNextPacket() throws {
    let settings = OpusSettings(channelCount: 1, hasFEC: true, expectedLoss: 20)
    let packets = Packets.encode([Packets.voice(16_000, rate: 16_000)], .hz16000, settings)
    let whole = Packets.decode(packets, .hz16000)
    func error(lost: Range<Int>) throws -> Float {
      let input = Input()
      for (index, packet) in packets.enumerated() where !lost.contains(index) {
        try input.send(packet, at: Int64(index) * 320)
      }
      let samples = input.take()
      #expect(samples.count == whole.count)
      // The last packet that was lost.
      let range = (lost.upperBound - 1) * 320..<lost.upperBound * 320
      return level(zip(samples[range], whole[range]).map { $0 - $1 }) - level(whole[range])
    }
    #expect(try error(lost: 10..<11) < -10)
    #expect(try error(lost: 27..<28) < -10)
    // Without the copy in the next packet, the sound that goes on differs more than the sound itself.
    #expect(try error(lost: 26..<28) < 0)
  }

  @Test func repeatedPacketsAreNotDecodedAgain() throws {
    let packets = Packets.encode([Self.sound], .hz16000)
    let input = Input()
    for (index, packet) in packets.enumerated() {
      try input.send(packet, at: Int64(index) * 320)
      #expect(try input.send(packet, at: Int64(index) * 320) == 0)
    }
    #expect(input.take() == Packets.decode(packets, .hz16000))
  }

  @Test func samplesOfAnOverlapAreDropped() throws {
    let packets = Packets.encode([Self.sound], .hz16000)
    let input = Input()
    try input.send(packets[0], at: 0)
    try input.send(packets[1], at: 200)
    let decoded = Packets.decode(Array(packets[..<2]), .hz16000)
    #expect(input.take() == Array(decoded[..<320]) + Array(decoded[440...]))
  }

  @Test func packetsThatAreNoneAreRefused() throws {
    let input = Input()
    #expect(throws: InputError.notAPacket) { try input.send([3]) }
    #expect(throws: InputError.notAPacket) { try input.send([24 | 3, 3, 0, 0, 0]) }
    let size = 1 << 20
    #expect(throws: InputError.tooLarge(bytes: size, limit: PacketDecoder.largestPacket)) {
      try input.send([UInt8](repeating: 3, count: size))
    }
    let packet = Packets.encode([Self.sound], .hz16000)[0]
    #expect(throws: InputError.impossiblePosition(-1, expected: 0)) {
      try input.send(packet, at: -1)
    }
    #expect(input.take().isEmpty)
  }

  /// Discontinuous transmission sends the first byte of a packet alone.
  @Test func aPacketWithoutContentTakesItsTime() throws {
    let packets = Packets.encode([Self.sound], .hz16000)
    let input = Input()
    try input.send(packets[0])
    #expect(try input.send([packets[0][0] & 0xFC]) == 0)
    #expect(input.take().count == 640)
  }
}

private final class Input {
  private var timeline = InputTimeline(format: .opus(.hz16000), longestLead: nil)
  private let frame = Frame(rate: .hz16000, channelCount: 1)

  @discardableResult
  func send(_ packet: [UInt8], at sample: Int64? = nil) throws -> Int64 {
    try packet.withUnsafeBytes { try timeline.append($0, firstSample: sample) }
  }

  /// Returns all samples that wait.
  func take() -> [Float] {
    var samples: [Float] = []
    while timeline.waiting > 0 {
      let count = timeline.read(into: frame)
      samples += frame.plane(0).prefix(count)
    }
    return samples
  }
}
