import AcousticSimulator
import AnechoicAPI
import AudioCore
import Foundation
import SessionWire
import SwiftProtobuf
import TestAudio
import Testing
import TestNetwork
import VoiceClient
import VoiceServer

/// The echo canceller of a session whose connection was lost for 2 s.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ResumedEchoTests {
  private static let gapChunks = 100

  @Test func theEchoIsRemovedAsWellOneSecondAfterTheGapAsBefore() async throws {
    // Somebody in the room speaks in the last 3 s.
    let rate = EchoClient.rate
    let near =
      [Float](repeating: 0, count: 13 * rate.hertz)
      + Signals.babble(3 * rate.hertz, rate: rate, seed: 23)
    let client = EchoClient(seconds: 16, near: near)
    let lost = 400  // after 8 s
    let (resumed, events) = try await output(of: client, losing: lost, resuming: true)
    let (restarted, _) = try await output(of: client, losing: lost, resuming: false)
    func reduction(_ output: [Float], _ seconds: Range<Double>) -> Double {
      let samples = Int(seconds.lowerBound * 16_000)..<Int(seconds.upperBound * 16_000)
      return level(client.recording.microphone, samples) - level(output, samples)
    }
    let before = reduction(resumed, 6..<8)
    let after = reduction(resumed, 11..<13)
    let anew = reduction(restarted, 11..<13)
    print(
      "echo reduction before a gap of 2 s \(before) dB, 1 s after it \(after) dB, "
        + "1 s after a new start \(anew) dB")
    #expect(before > 15 && after > before - 3)
    let speech = 14 * rate.hertz..<15 * rate.hertz
    let voice = level(resumed, speech) - level(near, speech)
    print("the voice in the room: \(voice) dB")
    #expect((-10...3).contains(voice))
    // The delay of the echo was known all the time.
    let gap = events.firstIndex { $0.sessionResumed.concealedSamples > 0 } ?? 0
    #expect(
      !events[gap...].contains { $0.echoPathChanged.hasDelay && !$0.echoPathChanged.converged })
  }

  /// Sends the call with a gap of 2 s, and returns the whole processed output.
  private func output(
    of client: EchoClient, losing lost: Int, resuming: Bool
  ) async throws -> ([Float], [Anechoic_V1_SessionEvent]) {
    try await TestServer.runWithProxy { server, proxy in
      var recording = Recording()
      var output = [Float](repeating: 0, count: client.chunkCount * EchoClient.chunk)
      var stream = try await proxy.client().process(EchoClient.start)
      var base = 0
      func hear(until sample: Int64) async throws {
        var heard: Int64 = 0
        while heard < sample, let response = try await stream.receive() {
          recording.record(response)
          guard case .audio(let audio) = response.response else { continue }
          let samples = decode([UInt8](audio.processed.samples), .s16)[0]
          for (index, sample) in samples.enumerated() {
            let place = base + Int(audio.processed.firstSample) + index
            if place < output.count { output[place] = sample }
          }
          heard = audio.processed.firstSample + Int64(samples.count)
        }
      }
      func send(_ chunks: Range<Int>) async throws {
        for chunk in chunks {
          var audio = Anechoic_V1_AudioInput()
          audio.microphone = client.microphone(chunk)
          audio.reference = client.reference(chunk)
          audio.microphone.firstSample = Int64(chunk * EchoClient.chunk - base)
          audio.reference.firstSample = Int64(chunk * EchoClient.chunk - base)
          try await stream.send(audio)
          // The last frames wait for their reference.
          try await hear(until: Int64(max(0, (chunk - 6) * EchoClient.chunk - base)))
        }
      }
      try await send(0..<lost)
      proxy.cut()
      let next = lost + Self.gapChunks
      var start = EchoClient.start
      if resuming {
        try await server.session(stream.started.session, becomes: .suspended)
        start.resumeToken = stream.started.resumeToken
        start.resumePoint.microphoneSample = Int64(next * EchoClient.chunk)
      } else {
        base = next * EchoClient.chunk
      }
      stream = try await proxy.client().process(start)
      #expect(!resuming || stream.started.resumed.concealedSamples > 30_000)
      try await send(next..<client.chunkCount)
      stream.finish()
      try await hear(until: .max)
      return (output, recording.events)
    }
  }

  /// The level of samples in dB.
  private func level(_ samples: [Float], _ range: Range<Int>) -> Double {
    let power = samples[range].reduce(0) { $0 + Double($1 * $1) } / Double(range.count)
    return 10 * log10(power + 1e-12)
  }
}
