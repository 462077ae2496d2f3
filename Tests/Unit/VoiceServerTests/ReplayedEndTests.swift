import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import SessionWire
import SwiftProtobuf
import Testing
import VoiceClient
import VoiceServer

/// The ends of sessions: a replay repeats each of them.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct ReplayedEndTests {
  private let microphone = AudioFormat.s16.babble(1500)

  /// Chunks of 25 ms, so that half a frame remains after every second chunk.
  private var requests: [Anechoic_V1_ProcessRequest] {
    Anechoic_V1_ProcessRequest.audio(microphone: microphone, .s16, milliseconds: 25)
  }

  @Test func theEndByTheClientIsReplayed() async throws {
    let call = try await RecordedCall.run { try await $0.record(RecordedCall.start, requests) }
    let replay = try call.expectSame()
    #expect(replay.processed.count == microphone.count)
  }

  /// A gap is filled in turns, and a control may come between two turns.
  @Test(arguments: [
    AudioFormat.s16, .widest, AudioFormat(encoding: .s16, rate: .hz44100, channelCount: 2),
  ])
  func aLongGapInAnyFormatIsReplayed(format: AudioFormat) async throws {
    let call = try await RecordedCall.run { server in
      var requests = Anechoic_V1_ProcessRequest.audio(
        microphone: format.babble(500), format)
      requests[10].audio.microphone.firstSample = Int64(4 * format.rate.hertz)
      requests[10].audio.microphone.gapBefore = .xrun
      requests.insert(
        .update(1, ["preferred_mic_mode"]) { $0.preferredMicMode = .wideSpectrum }, at: 11)
      let start = Anechoic_V1_Start.mediaClock(format).with { $0.sessionID = RecordedCall.id }
      return try await server.record(start, requests)
    }
    #expect(call.heard.processed.count == format.bytes(4300))
    try call.expectSame()
  }

  @Test func aLongGapThatTheReferenceDoesNotHaveIsReplayed() async throws {
    let call = try await RecordedCall.run { server in
      var requests = requests
      for index in requests.indices {
        requests[index].audio.reference.samples = requests[index].audio.microphone.samples
      }
      requests[10].audio.microphone.firstSample = Int64(9 * AudioFormat.s16.rate.hertz)
      let start = Anechoic_V1_Start.mediaClock(reference: .s16).with {
        $0.sessionID = RecordedCall.id
      }
      return try await server.record(start, requests)
    }
    // The 9 s of the gap replace the 250 ms before it.
    #expect(call.heard.processed.count == microphone.count + AudioFormat.s16.bytes(8750))
    try call.expectSame()
  }

  /// The far end stalls for 600 ms. The session then removes its backlog.
  @Test func aStallOfTheFarEndInRealTimeIsReplayed() async throws {
    let microphone = AudioFormat.s16.babble(4000)
    let farEnd = AudioFormat.s16.babble(4000, seed: 2)
    let call = try await RecordedCall.run { server in
      var requests = Anechoic_V1_ProcessRequest.audio(microphone: microphone, .s16)
      let chunk = AudioFormat.s16.bytes(20)
      let stall = 60..<90
      var sent = 0
      for index in requests.indices where !stall.contains(index) {
        let end = (index + 1) * chunk
        requests[index].audio.farEnd.samples = Data(farEnd[sent..<end])
        sent = end
      }
      let start = RecordedCall.start.with {
        $0.inputs.farEnd = Anechoic_V1_AudioFormat(.s16)
        $0.outputs.playback = Anechoic_V1_AudioFormat(.s16)
        $0.pacing = .realTime
      }
      return try await server.record(start, requests)
    }
    #expect(call.heard.playback.count == microphone.count)
    try call.expectSame()
  }

  @Test func theEndByAnotherClientIsReplayed() async throws {
    let call = try await RecordedCall.run { server in
      try await RunningClient.run(server, RecordedCall.start) { media, steering in
        try await media.waitForFrames(more: 20)
        try await steering.delete(media.session)
      }
    }
    #expect(call.heard.endReason == .deleted)
    try call.expectSame()
  }

  /// The recording does not contain refused requests, because they had no effect.
  @Test(arguments: [
    Anechoic_V1_ProcessRequest.microphone([UInt8](repeating: 1, count: 641)), .microphone([]),
    .init(),
    .with { $0.audio.microphone.firstSample = -5 },
    .with {
      $0.audio.microphone.samples = Data(count: 320)
      $0.audio.reference.samples = Data(count: 320)
    },
  ])
  func theEndByARefusalIsReplayed(refused: Anechoic_V1_ProcessRequest) async throws {
    let call = try await RecordedCall.run { server in
      try await ended(server, after: requests.prefix(39) + [refused])
    }
    let outcome = try call.replay().outcome
    #expect(outcome.differsBy == nil && outcome.fault == nil)
    #expect(outcome.digest.processedSamples == 15_520)
  }

  @Test func theLossOfTheClientIsReplayed() async throws {
    let call = try await RecordedCall.run { server in
      let call = server.call()
      try await call.send(Anechoic_V1_ProcessRequest.start(RecordedCall.start).serializedBytes())
      for request in requests.prefix(39) { try await call.send(request.serializedBytes()) }
      var recording = Recording()
      while recording.processed.count < 15_520 * 2, let message = try await call.receive() {
        recording.record(try Anechoic_V1_ProcessResponse(serializedBytes: Data(message)))
      }
      call.cancel()
      return recording
    }
    let replay = try call.replay()
    let outcome = try replay.outcome
    #expect(outcome.differsBy == nil && outcome.fault == nil && outcome.withheldFrom == nil)
    #expect(replay.processed == call.heard.processed)
  }

  /// The frames of nine seconds wait for their reference until the end, which is processed in
  /// turns.
  @Test func theLossOfTheClientDuringTheEndIsReplayed() async throws {
    let call = try await RecordedCall.run { server in
      let call = server.call()
      let start = Anechoic_V1_Start.mediaClock(reference: .s16).with {
        $0.sessionID = RecordedCall.id
      }
      try await call.send(Anechoic_V1_ProcessRequest.start(start).serializedBytes())
      var last = requests[0]
      last.audio.microphone.firstSample = Int64(9 * AudioFormat.s16.rate.hertz)
      try await call.send(last.serializedBytes())
      call.halfClose()
      var recording = Recording()
      while recording.processed.isEmpty, let message = try await call.receive() {
        recording.record(try Anechoic_V1_ProcessResponse(serializedBytes: Data(message)))
      }
      call.cancel()
      return recording
    }
    let outcome = try call.replay().outcome
    #expect(outcome.differsBy == nil && outcome.fault == nil)
  }

  private func ended(
    _ server: TestServer, after requests: some Sequence<Anechoic_V1_ProcessRequest>
  ) async throws -> Recording {
    let status = try await server.status(after: [.start(RecordedCall.start)] + requests)
    #expect(status.code == .invalidArgument)
    return Recording()
  }
}
