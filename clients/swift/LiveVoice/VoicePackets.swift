internal import AudioCodecs
internal import AudioCore
internal import Foundation
internal import Synchronization

/// The Opus encoders of a session's inputs and the decoder of its output. Packets have 20 ms.
final class VoicePackets: Sendable {
  static let framesPerPacket = OpusSettings.defaultPacketFrames

  private let microphone: Mutex<PacketEncoder?>
  /// Nil inside without a reference.
  private let reference: Mutex<PacketEncoder?>
  private let output: Mutex<PacketDecoder>

  /// Creates codecs for a rate of Opus. `referenceChannels` is nil without a reference.
  init(rate: SampleRate, microphoneChannels: Int, referenceChannels: Int?) {
    microphone = Mutex(Self.encoder(rate, microphoneChannels))
    reference = Mutex(referenceChannels.map { Self.encoder(rate, $0) })
    output = Mutex(PacketDecoder(rate: rate, channelCount: microphoneChannels))
  }

  /// Returns the packet of 20 ms of the microphone, interleaved.
  func microphone(_ samples: [Float]) -> Data { Self.encode(samples, microphone) }

  /// Returns the packet of 20 ms of the reference, interleaved.
  func reference(_ samples: [Float]) -> Data { Self.encode(samples, reference) }

  /// Returns the samples of a packet of the output, interleaved.
  func output(_ packet: Data) -> [Float] {
    output.withLock { decoder in
      Array(packet).withUnsafeBytes { packet in
        guard let samples = decoder.decode(packet) else { return [] }
        return Array(samples.bindMemory(to: Float.self))
      }
    }
  }

  private static func encode(
    _ samples: [Float], _ encoder: borrowing Mutex<PacketEncoder?>
  ) -> Data {
    let clipped = samples.map { $0.isNaN ? 0 : max(-1, min(1, $0)) }
    return encoder.withLock { encoder in
      clipped.withUnsafeBytes { samples in (encoder?.encode(samples)).map { Data($0) } ?? Data() }
    }
  }

  private static func encoder(_ rate: SampleRate, _ channelCount: Int) -> PacketEncoder {
    PacketEncoder(
      rate: rate, channelCount: channelCount, frames: framesPerPacket,
      OpusSettings(channelCount: channelCount), for: .speech)
  }
}
