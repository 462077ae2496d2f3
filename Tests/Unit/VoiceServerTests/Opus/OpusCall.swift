import AnechoicAPI
import AudioCore
import Foundation
import SessionWire
import SwiftProtobuf
import TestAudio
import VoiceClient

/// A session with every input and output as Opus packets of 20 ms.
struct OpusCall: Sendable {
  /// The packets that a session sent, and everything else.
  struct Heard: Sendable {
    var recording = Recording()
    var processed: [[UInt8]] = []
    var playback: [[UInt8]] = []

    var started: Anechoic_V1_Started { recording.started }
    var events: [Anechoic_V1_SessionEvent] { recording.events }
  }

  let microphone: [[UInt8]]
  let farEnd: [[UInt8]]
  let start: Anechoic_V1_Start
  private let rate: SampleRate

  init(_ rate: SampleRate, seconds: Int = 1) {
    self.rate = rate
    let settings = OpusSettings(channelCount: 1, hasFEC: true)
    let count = seconds * rate.hertz
    microphone = Packets.encode([Packets.voice(count, rate: rate.hertz)], rate, settings)
    farEnd = Packets.encode([Signals.babble(count, rate: rate)], rate, settings)
    let format = Anechoic_V1_AudioFormat(.opus(rate))
    start = .mediaClock().with {
      $0.inputs = .with {
        $0.microphone = format
        $0.reference = format
        $0.farEnd = format
        $0.otherAudio = format
      }
      $0.outputs.playback = format
      $0.outputs.playback.opus = .with {
        $0.bitRate = 24_000
        $0.complexity = 5
        $0.fec = true
      }
    }
  }

  /// Sends all packets but the lost ones, after the controls. Inputs that the start does not announce
  /// are left out.
  func run(
    on server: TestServer, _ start: Anechoic_V1_Start, losing lost: Set<Int> = [],
    controls: [Anechoic_V1_Control] = []
  ) async throws -> Heard {
    let stream = try await server.client.process(start)
    var heard = Heard()
    heard.recording.started = stream.started
    async let sending: Void = send(on: stream, start.inputs, lost, controls)
    while let response = try await stream.receive() {
      heard.recording.record(response)
      guard case .audio(let audio) = response.response else { continue }
      heard.processed.append(Array(audio.processed.samples))
      if audio.hasPlayback { heard.playback.append(Array(audio.playback.samples)) }
    }
    try await sending
    return heard
  }

  private func send(
    on stream: ProcessStream, _ inputs: Anechoic_V1_Start.Inputs, _ lost: Set<Int>,
    _ controls: [Anechoic_V1_Control]
  ) async throws {
    for control in controls { try await stream.send(control) }
    for index in microphone.indices where !lost.contains(index) {
      let first = Int64(index * 2 * rate.samplesPerFrame)
      func chunk(_ packets: [[UInt8]]) -> Anechoic_V1_AudioChunk {
        .with {
          $0.samples = Data(packets[index])
          $0.firstSample = first
        }
      }
      try await stream.send(
        Anechoic_V1_AudioInput.with {
          $0.microphone = chunk(microphone)
          if inputs.hasReference { $0.reference = chunk(farEnd) }
          if inputs.hasFarEnd { $0.farEnd = chunk(farEnd) }
          if inputs.hasOtherAudio { $0.otherAudio = chunk(farEnd) }
        })
    }
    stream.finish()
  }
}
