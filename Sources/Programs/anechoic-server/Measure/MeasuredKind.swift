internal import AnechoicAPI
internal import ArgumentParser
internal import AudioCodecs
internal import AudioCore
internal import Foundation
internal import SwiftProtobuf

/// A kind of session whose cost is measured. All have echo cancellation with a reference, messages of
/// 20 ms in both directions, and the default engine.
enum MeasuredKind: String, CaseIterable, ExpressibleByArgument, Sendable {
  case plain16 = "plain-16"
  case plain48 = "plain-48"
  /// Opus for all inputs and outputs.
  case opus48 = "opus-48"
  /// Four named far ends, rendered for both ears, in place of the reference.
  case spatial48 = "spatial-48"
  case isolation16 = "isolation-16"

  /// The time between two messages.
  static let interval = Duration.milliseconds(20)
  /// The messages after which the audio repeats: two seconds.
  private static let messageCount = 100
  private static let farEnds = (1...4).map { "guest-\($0)" }

  var rate: SampleRate {
    switch self {
    case .plain16, .isolation16: .hz16000
    case .plain48, .opus48, .spatial48: .hz48000
    }
  }

  private var isOpus: Bool { self == .opus48 }
  private var isSpatial: Bool { self == .spatial48 }

  /// The start of a session.
  var start: Anechoic_V1_Start {
    let format = Anechoic_V1_AudioFormat.with {
      $0.encoding = isOpus ? .opus : .pcmS16Le
      $0.sampleRateHz = UInt32(rate.hertz)
      $0.channelCount = 1
    }
    return .with {
      $0.pacing = .realTime
      $0.resumeWindow = Google_Protobuf_Duration()
      $0.inputs.microphone = format
      $0.outputs.processed = format
      $0.outputs.chunkDuration = Google_Protobuf_Duration(Self.interval)
      if isSpatial {
        $0.inputs.farEnds = Self.farEnds.map { id in
          .with {
            $0.farEndID = id
            $0.format = format
          }
        }
        $0.outputs.playback = format
        $0.outputs.playback.channelCount = 2
        $0.config.spatialAudio.enabled = true
      } else {
        $0.inputs.reference = format
      }
      if self == .isolation16 { $0.config.preferredMicMode = .voiceIsolation }
    }
  }

  /// The messages of two seconds of audio, which a client may repeat.
  func messages() throws -> [[UInt8]] {
    let loudspeaker = Self.speech(rate, seed: 1)
    let near = Self.speech(rate, seed: 2)
    let delay = rate.hertz / 25
    // The loudspeaker comes back after 40 ms, beside the person's own voice.
    let microphone = near.indices.map { index in
      near[index] + 0.3 * loudspeaker[(index + near.count - delay) % near.count]
    }
    let (captured, played) = (chunks(of: microphone), chunks(of: loudspeaker))
    return try captured.indices.map { index in
      try Anechoic_V1_ProcessRequest.with {
        $0.audio.microphone.samples = captured[index]
        if isSpatial {
          $0.audio.farEnds = Self.farEnds.map { id in
            .with {
              $0.farEndID = id
              $0.audio.samples = played[index]
            }
          }
        } else {
          $0.audio.reference.samples = played[index]
        }
      }.serializedBytes()
    }
  }

  /// Returns the samples of each message.
  private func chunks(of signal: [Float]) -> [Data] {
    let count = 2 * rate.samplesPerFrame
    var encoder = PacketEncoder(
      rate: rate, channelCount: 1, frames: 2, OpusSettings(channelCount: 1), for: .speech)
    return stride(from: 0, to: signal.count, by: count).map { start in
      let part = signal[start..<start + count]
      guard isOpus else {
        return Data(part.flatMap { [UInt8](littleEndian: Int16($0 * 32_000)) })
      }
      return Array(part).withUnsafeBytes { Data(encoder.encode($0)) }
    }
  }

  /// Returns two seconds of noise whose level changes as that of speech does: three syllables a second,
  /// with pauses.
  private static func speech(_ rate: SampleRate, seed: UInt64) -> [Float] {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    return (0..<messageCount * 2 * rate.samplesPerFrame).map { index in
      // George Marsaglia's xorshift64, "Xorshift RNGs", 2003.
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      let noise = Float(Int64(bitPattern: state) >> 40) / Float(1 << 23)
      let phase = Float(index) / Float(rate.hertz) * 3 + Float(seed) / 2
      return noise * (sin(2 * .pi * phase) > 0 ? 0.2 : 0.02)
    }
  }
}

extension [UInt8] {
  fileprivate init(littleEndian sample: Int16) {
    let bits = UInt16(bitPattern: sample)
    self = [UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8)]
  }
}
