public import AudioCodecs
public import AudioCore
import Foundation

/// Opus packets of signals, for tests.
public enum Packets {
  /// Returns the packets of planes with the same length. The last one ends with silence.
  public static func encode(
    _ planes: [[Float]], _ rate: SampleRate, frames: Int = 2, _ settings: OpusSettings? = nil,
    for sound: PacketEncoder.Sound = .speech
  ) -> [[UInt8]] {
    var encoder = PacketEncoder(
      rate: rate, channelCount: planes.count, frames: frames,
      settings ?? OpusSettings(channelCount: planes.count), for: sound)
    let count = frames * rate.samplesPerFrame
    return stride(from: 0, to: planes[0].count, by: count).map { start in
      var samples: [Float] = []
      for index in start..<start + count {
        for plane in planes { samples.append(index < plane.count ? plane[index] : 0) }
      }
      return samples.withUnsafeBytes { Array(encoder.encode($0)) }
    }
  }

  /// Returns the first channel of the samples that packets decode to, one after another.
  public static func decode(
    _ packets: [[UInt8]], _ rate: SampleRate, channelCount: Int = 1
  ) -> [Float] {
    var decoder = PacketDecoder(rate: rate, channelCount: channelCount)
    return packets.flatMap { packet in
      packet.withUnsafeBytes { firstChannel(decoder.decode($0), channelCount) }
    }
  }

  /// Returns the first channel of interleaved floats.
  public static func firstChannel(
    _ samples: UnsafeRawBufferPointer?, _ channelCount: Int = 1
  ) -> [Float] {
    guard let samples else { return [] }
    let floats = samples.bindMemory(to: Float.self)
    return stride(from: 0, to: floats.count, by: channelCount).map { floats[$0] }
  }
}

extension Packets {
  /// Returns a substitute for a sustained vowel, which a decoder can follow better than noise: a
  /// sawtooth with a moving pitch and level. `rate` is in Hz.
  public static func voice(_ count: Int, rate: Int) -> [Float] {
    var phase = 0.0
    return (0..<count).map { index in
      let time = 2 * Double.pi * Double(index) / Double(rate)
      phase += (140 + 50 * sin(3.1 * time) + 20 * sin(7.3 * time)) / Double(rate)
      phase -= phase.rounded(.down)
      return Float(0.25 * (1 - 2 * phase) * (0.6 + 0.4 * sin(2.3 * time)))
    }
  }
}
