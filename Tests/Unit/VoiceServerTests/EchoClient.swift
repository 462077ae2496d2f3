import AcousticSimulator
import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import SessionWire
import SwiftProtobuf
import TestAudio

/// The audio of a client with a loudspeaker and a microphone, in chunks of 20 ms at 16 kHz.
struct EchoClient {
  static let rate = SampleRate.hz16000
  static let chunk = 320

  let scene: EchoScene
  let recording: EchoScene.Recording

  /// Creates a client with a voice in the room, or without one.
  init(seconds: Int, near: [Float] = [], _ change: (inout EchoScene) -> Void = { _ in }) {
    var scene = EchoScene(rate: Self.rate.hertz)
    scene.lag = 0.3
    change(&scene)
    self.scene = scene
    recording = scene.record(
      farEnd: Signals.babble(Self.rate.hertz * seconds, rate: Self.rate, seed: 7), near: near)
  }

  var chunkCount: Int { recording.microphone.count / Self.chunk }
  var microphoneBytes: Int { chunkCount * Self.chunk * 2 }

  /// A start with echo cancellation and nothing else.
  static var start: Anechoic_V1_Start {
    .mediaClock(reference: .s16).with {
      $0.config.voiceProcessing.noiseSuppression.enabled = false
      $0.config.voiceProcessing.gainControl.enabled = false
      $0.statsInterval.seconds = 1
    }
  }

  /// The same start for a client that plays the session's mix.
  static var playbackStart: Anechoic_V1_Start {
    start.with {
      $0.inputs.clearReference()
      $0.inputs.farEnd = Anechoic_V1_AudioFormat(.s16)
      $0.outputs.playback = Anechoic_V1_AudioFormat(.s16)
    }
  }

  func microphone(_ index: Int) -> Anechoic_V1_AudioChunk { chunk(recording.microphone, index) }
  func reference(_ index: Int) -> Anechoic_V1_AudioChunk { chunk(recording.reference, index) }

  /// Returns all requests, with both inputs in each. A closure can change them.
  func requests(
    _ change: (_ index: Int, _ audio: inout Anechoic_V1_AudioInput) -> Void = { _, _ in }
  ) -> [Anechoic_V1_ProcessRequest] {
    (0..<chunkCount).map { index in
      .with {
        $0.audio.microphone = microphone(index)
        $0.audio.reference = reference(index)
        change(index, &$0.audio)
      }
    }
  }

  /// The requests of a client that plays the session's mix. Each chunk of the microphone has its
  /// time.
  var playbackRequests: [Anechoic_V1_ProcessRequest] {
    requests { index, audio in
      audio.farEnd = audio.reference
      audio.clearReference()
      audio.microphone.deviceTimeNs = scene.captureTime(at: Double(index) / 50).nanoseconds
    }
  }

  /// Returns the reduction of the microphone's level in dB, from a second on.
  func reduction(_ recording: Recording, from second: Int) -> Float {
    let processed = decode(recording.processed, .s16)[0]
    let first = second * Self.rate.hertz
    return level(self.recording.echo.dropFirst(first)) - level(processed.dropFirst(first))
  }

  private func chunk(_ samples: [Float], _ index: Int) -> Anechoic_V1_AudioChunk {
    let first = index * Self.chunk
    return .with {
      $0.samples = Data(encode([Array(samples[first..<first + Self.chunk])], .s16))
      $0.firstSample = Int64(first)
    }
  }
}
