import AnechoicAPI
import AudioCore
import Glibc
import SessionWire
import SwiftProtobuf
import TestAudio
import Testing
import TestTime
import VoiceServer

/// Under the media clock, the output depends only on the input, and not on its timing or its
/// pieces.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct RepeatedOutputTests {
  private let start = RecordedCall.start.with {
    $0.inputs.reference = Anechoic_V1_AudioFormat(.s16)
    $0.config.voiceActivityDetection.enabled = true
  }

  private var requests: [Anechoic_V1_ProcessRequest] {
    var requests = Anechoic_V1_ProcessRequest.audio(
      microphone: AudioFormat.s16.babble(900), .s16,
      reference: AudioFormat.s16.babble(900, seed: 5), .s16)
    requests.insert(
      .update(1, ["preferred_mic_mode"], at: 8000) { $0.preferredMicMode = .wideSpectrum }, at: 3)
    return requests
  }

  @Test func oneBurstAndManyPiecesWithPausesGiveTheSameBytes() async throws {
    let burst = try await RecordedCall.run { try await send(to: $0, pausing: false) { 16_384 } }
    #expect(burst.heard.processed.count == AudioFormat.s16.bytes(900))
    let digest = try burst.expectSame().outcome.digest
    for seed in 1...3 {
      var generator = SeededGenerator(seed: UInt64(seed))
      let pieces = try await RecordedCall.run {
        try await send(to: $0, pausing: true) { Int.random(in: 1...1500, using: &generator) }
      }
      #expect(pieces.heard.processed == burst.heard.processed)
      #expect(try pieces.expectSame().outcome.digest == digest)
    }
  }

  private func send(
    to server: TestServer, pausing: Bool, nextPiece: () -> Int
  ) async throws -> Recording {
    let client = try StubbornClient(server)
    let messages: [[UInt8]] = try ([.start(start)] + requests).map { try $0.serializedBytes() }
    try await client.send(messages) {
      let piece = nextPiece()
      // Any pause will do, because nothing may depend on it.
      if pausing { try await realTime(.microseconds(piece)) }
      return piece
    }
    return try await client.read().recording
  }
}
