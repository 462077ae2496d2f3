import AnechoicAPI
import AudioCore
import Foundation
import SwiftProtobuf
import TestTime
import VoiceClient

/// A media client in real time whose connection stalls once. Its device continues to capture, and
/// the client sends the captured audio at once when the stall is over.
struct StalledClient {
  private static let frame = Duration.milliseconds(10)

  let server: TestServer
  /// The number of frames before the stall, during the stall, and after it.
  let before: Int
  let during: Int
  let after: Int
  /// How long the device has captured when the session starts.
  var age = Duration.zero

  /// Returns the time of each frame from its capture to its processed output, and everything that
  /// the session sent.
  func run(_ start: Anechoic_V1_Start) async throws -> (delays: [Duration], Recording) {
    let stream = try await server.client.process(start)
    let began = ContinuousClock.now - age
    let count = before + during + after
    async let sending: Void = send(count, on: stream, began)
    var recording = Recording()
    recording.started = stream.started
    var delays: [Duration] = []
    while let response = try await stream.receive() {
      recording.record(response)
      guard case .audio = response.response else { continue }
      let frames = recording.frames.count
      while delays.count < frames {
        delays.append(.now - began - Self.frame * (delays.count + 1))
      }
    }
    try await sending
    return (delays, recording)
  }

  private func send(
    _ count: Int, on stream: ProcessStream, _ began: ContinuousClock.Instant
  ) async throws {
    let size = AudioFormat.s16.bytes(10)
    let microphone = AudioFormat.s16.babble(3000)
    let device = Metronome(every: Self.frame, from: began)
    for index in 0..<count {
      let isStalled = index >= before && index < before + during
      let captured = isStalled ? before + during : index + 1
      try await device.beat(captured)
      let offset = index * size % (microphone.count - size)
      try await stream.send(
        .with { $0.microphone.samples = Data(microphone[offset..<offset + size]) })
    }
    stream.finish()
  }
}
