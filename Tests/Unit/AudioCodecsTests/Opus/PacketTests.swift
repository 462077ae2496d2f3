import AnechoicAPI
import AudioCodecs
import AudioCore
import TestAudio
import Testing

/// Opus packets there and back.
struct PacketTests {
  @Test(arguments: OpusSettings.sampleRates, OpusSettings.packetFrames)
  func theDecodedSoundIsLateByTheLookAhead(rate: SampleRate, frames: Int) {
    let sound = Signals.babble(rate.hertz, rate: rate)
    let settings = OpusSettings(channelCount: 1, bitRate: 64_000)
    let packets = Packets.encode([sound], rate, frames: frames, settings)
    let decoded = Packets.decode(packets, rate)
    let encoder = PacketEncoder(
      rate: rate, channelCount: 1, frames: frames, settings, for: .speech)
    // 6.5 ms, which the encoder tells.
    #expect(encoder.lookAheadSamples == rate.hertz * 13 / 2000)
    let found = lag(of: decoded, behind: sound, limit: rate.samplesPerFrame * 2)
    #expect(abs(found - encoder.lookAheadSamples) <= 1)
    #expect(decoded.count >= sound.count)
  }

  @Test func twoChannelsStayApart() {
    let left = Signals.babble(24_000, rate: .hz24000)
    let packets = Packets.encode([left, Signals.silence(left.count)], .hz24000)
    var decoder = PacketDecoder(rate: .hz24000, channelCount: 2)
    var levels = (Float(0), Float(0))
    for packet in packets {
      packet.withUnsafeBytes { packet in
        let samples = decoder.decode(packet)?.bindMemory(to: Float.self)
        for (index, sample) in (samples ?? .init(start: nil, count: 0)).enumerated() {
          if index % 2 == 0 { levels.0 += sample * sample } else { levels.1 += sample * sample }
        }
      }
    }
    #expect(levels.0 > 100 * levels.1)
  }

  /// A decoder has its own rate and channels, whatever the encoder had.
  @Test func packetsOfAnyRateAndChannelsAreConverted() {
    let sound = Signals.babble(48_000, rate: .hz48000)
    let packets = Packets.encode([sound, sound], .hz48000, frames: 6)
    let decoded = Packets.decode(packets, .hz8000)
    #expect(decoded.count == packets.count * 480)
    #expect(level(decoded) > -40)
  }

  @Test func settingsChangeThePackets() {
    let sound = Signals.babble(32_000, rate: .hz16000)
    func size(_ settings: OpusSettings) -> Int {
      Packets.encode([sound], .hz16000, settings).map(\.count).reduce(0, +)
    }
    let low = size(OpusSettings(channelCount: 1, bitRate: 12_000))
    let high = size(OpusSettings(channelCount: 1, bitRate: 48_000))
    #expect(high > 2 * low)
    let plain = Packets.encode([sound], .hz16000, OpusSettings(channelCount: 1, complexity: 0))
    let thorough = Packets.encode([sound], .hz16000, OpusSettings(channelCount: 1, complexity: 10))
    #expect(plain != thorough)
    let decoder = PacketDecoder(rate: .hz16000, channelCount: 1)
    func withFEC(_ settings: OpusSettings) -> Int {
      Packets.encode([sound], .hz16000, settings).count { packet in
        packet.withUnsafeBytes { decoder.recoverableSamples(before: $0) } == 320
      }
    }
    #expect(withFEC(OpusSettings(channelCount: 1)) == 0)
    #expect(withFEC(OpusSettings(channelCount: 1, hasFEC: true)) > 40)
  }

  @Test func theDurationIsReadFromThePacketAsTheCodecDoes() {
    let decoder = PacketDecoder(rate: .hz48000, channelCount: 1)
    for head in UInt8.min...UInt8.max {
      for count in UInt8(0)..<64 {
        // The rest is long enough for any number of frames with their lengths of 0.
        let packet = [head, count] + [UInt8](repeating: 0, count: 64)
        let known = packet.withUnsafeBytes { decoder.sampleCount(of: $0) }
        guard let known else { continue }
        #expect(OpusPacket.sampleCount(of: packet, rate: 48_000) == known)
      }
    }
    #expect(OpusPacket.sampleCount(of: [], rate: 48_000) == 0)
    #expect(OpusPacket.sampleCount(of: [3], rate: 48_000) == 0)
  }

  @Test(arguments: [1, 2, 3, 4, 8, 15, 16, 24, 48])
  func silenceDecodesToSilence(units: Int) {
    let packet = OpusPacket.silence(samples: units * 40, rate: 16_000)
    let decoded = Packets.decode([packet, packet], .hz16000)
    #expect(decoded == Signals.silence(units * 80))
  }

  @Test func silenceHasNoOtherDuration() {
    for count in [0, -1, 39, 49 * 40] {
      #expect(OpusPacket.silence(samples: count, rate: 16_000).isEmpty)
    }
  }
}
