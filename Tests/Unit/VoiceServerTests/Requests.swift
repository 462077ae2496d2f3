import AnechoicAPI
import AudioCore
import Foundation
import SessionWire
import SwiftProtobuf
import TestAudio

extension AudioFormat {
  static let s16 = AudioFormat(encoding: .s16, rate: .hz16000, channelCount: 1)
  /// The format with the most bytes in a second.
  static let widest = AudioFormat(encoding: .f32, rate: .hz48000, channelCount: 2)
}

extension Anechoic_V1_Start {
  /// Returns a start with the media clock. The output has the microphone's format.
  static func mediaClock(
    _ microphone: AudioFormat = .s16, reference: AudioFormat? = nil
  ) -> Anechoic_V1_Start {
    .with {
      $0.inputs.microphone = Anechoic_V1_AudioFormat(microphone)
      if let reference { $0.inputs.reference = Anechoic_V1_AudioFormat(reference) }
      $0.pacing = .mediaClock
    }
  }

  /// The start without injection, whose availability would be an event.
  var withoutInjection: Anechoic_V1_Start {
    with { $0.config.preferredInjectionMode = .none }
  }

  func with(_ change: (inout Anechoic_V1_Start) -> Void) -> Anechoic_V1_Start {
    var changed = self
    change(&changed)
    return changed
  }
}

extension Anechoic_V1_ProcessRequest {
  static func start(_ start: Anechoic_V1_Start) -> Self { .with { $0.start = start } }

  static func microphone(_ samples: [UInt8]) -> Self {
    .with { $0.audio.microphone.samples = Data(samples) }
  }

  static func control(_ control: Anechoic_V1_Control) -> Self { .with { $0.control = control } }

  /// Returns an update of the configuration's fields in a mask.
  static func update(
    _ id: UInt64, _ paths: [String], at sample: Int64? = nil,
    _ change: (inout Anechoic_V1_SessionConfig) -> Void = { _ in }
  ) -> Self {
    .with {
      $0.control.controlID = id
      if let sample { $0.control.atSample = sample }
      $0.control.updateConfig.updateMask.paths = paths
      change(&$0.control.updateConfig.config)
    }
  }

  /// Returns whole inputs in parallel chunks of a duration.
  static func audio(
    microphone: [UInt8], _ format: AudioFormat, reference: [UInt8]? = nil,
    _ referenceFormat: AudioFormat? = nil, milliseconds: Int = 20
  ) -> [Self] {
    let microphoneChunk = format.bytes(milliseconds)
    let referenceChunk = referenceFormat?.bytes(milliseconds) ?? 0
    return stride(from: 0, to: microphone.count, by: microphoneChunk).enumerated().map {
      index, offset in
      .with { request in
        request.audio.microphone.samples = Data(microphone[offset...].prefix(microphoneChunk))
        if let reference {
          let samples = reference.dropFirst(index * referenceChunk).prefix(referenceChunk)
          if !samples.isEmpty { request.audio.reference.samples = Data(samples) }
        }
      }
    }
  }
}

extension AudioFormat {
  func bytes(_ milliseconds: Int) -> Int { rate.hertz * milliseconds / 1000 * bytesPerSampleFrame }

  /// Returns encoded babble, the same in every channel.
  func babble(_ milliseconds: Int, seed: UInt32 = 1) -> [UInt8] {
    let count = rate.hertz * milliseconds / 1000
    let plane = Signals.babble(count, rate: rate, seed: seed)
    return encode([[Float]](repeating: plane, count: channelCount), encoding)
  }
}
