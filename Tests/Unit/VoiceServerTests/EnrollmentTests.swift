import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import SessionWire
import SwiftProtobuf
import TestAudio
import Testing
import VoiceClient
import VoiceServer

/// Voices that sessions learn and keep, over real connections, with the default engine.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct EnrollmentTests {
  private static let start = RecordedCall.start.with { $0.enrollVoice = true }
  private static let isolating = RecordedCall.start.with {
    $0.config.preferredMicMode = .voiceIsolation
  }

  private static func requests(_ samples: [Float]) -> [Anechoic_V1_ProcessRequest] {
    Anechoic_V1_ProcessRequest.audio(microphone: encode([samples], .s16), .s16)
  }

  private static let near = Task { requests(try await Voices.near.value) }

  private static let voiceprint = Task {
    let requests = try await near.value
    return try await TestServer.run {
      try #require(try await $0.record(start, requests).voiceprints.first)
    }
  }

  private func changes(_ heard: Recording) -> [Anechoic_V1_VoiceEnrollmentChanged] {
    heard.events.compactMap {
      if case .voiceEnrollmentChanged(let change) = $0.event { change } else { nil }
    }
  }

  @Test func aSessionLearnsAVoiceAndTheNextOneKeepsIt() async throws {
    let requests = try await Self.near.value
    try await TestServer.run { server in
      let heard = try await server.record(Self.start, requests)
      #expect(heard.voiceprints.count == 1)
      #expect(changes(heard).map(\.state) == [.enrolled])
      let voiceprint = try #require(heard.voiceprints.first)
      let again = try await server.record(
        Self.isolating.with { $0.voiceprint = voiceprint }, requests)
      #expect(again.started.voiceprintUsed)
      // The voice that is kept is heard.
      let samples = decode(again.processed, .s16)[0]
      let before = try await Voices.near.value
      #expect(level(samples[16_000...]) > level(before[16_000...]) - 10)
    }
  }

  @Test func aSessionWithoutAVoiceLearnsNone() async throws {
    let noise = Self.requests(Signals.noise(16_000 * 8, amplitude: 0.1))
    let heard = try await TestServer.run { try await $0.record(Self.start, noise) }
    #expect(heard.voiceprints.isEmpty)
    #expect(changes(heard).map(\.failure) == [.tooLittleVoice])
    #expect(changes(heard).map(\.state) == [.none])
  }

  @Test func aReplayKeepsTheSameVoice() async throws {
    let (requests, voiceprint) = try await (Self.near.value, Self.voiceprint.value)
    let start = Self.isolating.with { $0.voiceprint = voiceprint }
    let call = try await RecordedCall.run { server in
      try await server.record(start, Array(requests.prefix(150)))
    }
    #expect(call.heard.started.voiceprintUsed)
    try call.expectSame()
  }

  @Test func aReplayLearnsTheSameVoice() async throws {
    let requests = try await Self.near.value
    let call = try await RecordedCall.run { try await $0.record(Self.start, requests) }
    #expect(call.heard.voiceprints.count == 1)
    try call.expectSame()
  }

  @Test func watchersSeeTheStateAndNotTheVoice() async throws {
    let voiceprint = try await Self.voiceprint.value
    try await TestServer.run { server in
      let session = try await server.client.process(
        Self.isolating.with { $0.voiceprint = voiceprint })
      let seen = try await server.steering(as: "watcher").get(session.started.session)
      #expect(seen.voiceEnrollment == .enrolled)
      session.cancel()
    }
  }

  @Test func anEngineThatLearnsNoVoiceIsNamed() async throws {
    let other = Self.start.with { $0.engine = "webrtc-audio-processing" }
    let voiceprint = try await Self.voiceprint.value
    let requests = Self.requests(Signals.noise(1600))
    try await TestServer.run { server in
      let error = await #expect(throws: Status.self) { _ = try await server.client.process(other) }
      #expect(error?.code == .unimplemented)
      #expect(error?.message.hasPrefix("start.enroll_voice") == true)
      let start = other.with {
        $0.enrollVoice = false
        $0.voiceprint = voiceprint
      }
      let heard = try await server.record(start, requests)
      #expect(!heard.started.voiceprintUsed && heard.status == nil)
    }
  }

  @Test func voiceprintsNeedTheScope() async throws {
    try await TokenServer.run { tokens in
      let error = await #expect(throws: Status.self) {
        _ = try await tokens.media("owner").process(Self.start)
      }
      #expect(error?.code == .permissionDenied)
      #expect(error?.reason == "SCOPE_MISSING")
      let allowed = try await tokens.media("owner", "media enroll").process(Self.start)
      allowed.cancel()
    }
  }

  /// The replay refuses what the session refused.
  @Test func aClientThatResumesWithoutTheScopeLearnsNoVoice() async throws {
    try await TokenServer.run {
      $0.limits.resumeWindow = .seconds(10)
      $0.allowsRecording = true
    } _: { tokens in
      let name = "sessions/resumed"
      let recorder = try await tokens.steering("olga", "control").record(name)
      let start = RecordedCall.start.with { $0.sessionID = "resumed" }
      let client = try await ResumingClient(tokens.media("olga", "media enroll"), start)
      try await client.talk(frames: 5)
      try await client.resume(on: tokens.media("olga"))
      try await client.stream.send(
        Anechoic_V1_Control.with {
          $0.controlID = 7
          $0.enrollVoice = .init()
        })
      try await client.talk(frames: 5)
      let heard = try await client.finish()
      #expect(heard.results.map(\.refusal.reason) == ["SCOPE_MISSING"])
      let file = try await recorder.whole()
      try RecordedCall(heard: heard, file: file).expectSame()
    }
  }

  static func voiceprint(
    _ change: (inout Anechoic_V1_Voiceprint) -> Void = { _ in }
  ) -> Anechoic_V1_Voiceprint {
    .with {
      $0.encoder = "another"
      $0.values = halves([0.6, 0.8])
      change(&$0)
    }
  }

  static func halves(_ values: [Float16]) -> Data {
    values.map(\.bitPattern.littleEndian).withUnsafeBytes { Data($0) }
  }
}
