import AnechoicAPI
import AudioCore
import Foundation
import SessionWire
import SwiftProtobuf
import TestAudio
import Testing
import VoiceServer

/// The echo path of a session, over a real connection.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct EchoPathTests {
  private static let start = RecordedCall.start.with {
    $0.inputs.reference = Anechoic_V1_AudioFormat(.s16)
    $0.echoPathWanted = true
  }

  /// A microphone that hears its reference after 30 ms, at half its amplitude.
  private static let requests: [Anechoic_V1_ProcessRequest] = {
    let reference = Signals.noise(16_000 * 7, amplitude: 0.2)
    let microphone = [Float](repeating: 0, count: 480) + reference.dropLast(480).map { 0.5 * $0 }
    return Anechoic_V1_ProcessRequest.audio(
      microphone: encode([microphone], .s16), .s16, reference: encode([reference], .s16), .s16)
  }()

  @Test func aSessionTellsItsPathAndTheNextOneUsesIt() async throws {
    try await TestServer.run { server in
      let heard = try await server.record(Self.start, Self.requests)
      let path = try #require(heard.echoPaths.last)
      #expect(!heard.started.echoPathUsed)
      #expect(path.sampleRateHz == 16_000 && path.channelCount == 1)
      #expect(path.response.count == 2 * 48 * 160)
      let again = try await server.record(
        Self.start.with { $0.echoPathHint = path }, Self.requests)
      #expect(again.started.echoPathUsed)
    }
  }

  @Test func aSessionThatIsNotAskedTellsNone() async throws {
    let start = Self.start.with { $0.echoPathWanted = false }
    let heard = try await TestServer.run { try await $0.record(start, Self.requests) }
    #expect(heard.echoPaths.isEmpty)
  }

  @Test func aReplayBeginsWithTheSamePath() async throws {
    let path = try await TestServer.run {
      try #require(try await $0.record(Self.start, Self.requests).echoPaths.last)
    }
    let start = Self.start.with { $0.echoPathHint = path }
    let call = try await RecordedCall.run { try await $0.record(start, Self.requests) }
    #expect(call.heard.started.echoPathUsed)
    try call.expectSame()
  }

  @Test func aPathOfAnotherEngineFormatIsLeftOut() async throws {
    let start = Self.start.with {
      $0.echoPathHint = Self.path { $0.sampleRateHz = 48_000 }
    }
    let heard = try await TestServer.run { try await $0.record(start, Self.requests) }
    #expect(!heard.started.echoPathUsed && heard.status == nil)
    let other = start.with { $0.engine = "webrtc-audio-processing" }
    let plain = try await TestServer.run { try await $0.record(other, Self.requests) }
    #expect(!plain.started.echoPathUsed && plain.echoPaths.isEmpty)
  }

  /// A response of a hostile client that is as loud as a number can be.
  @Test func anImpossiblePathHarmsNothing() async throws {
    let largest = withUnsafeBytes(of: Float16.greatestFiniteMagnitude.bitPattern) { Data($0) }
    let start = Self.start.with {
      $0.echoPathHint = Self.path { $0.response = Data(repeating: 0, count: 0) }
      for _ in 0..<(48 * 160) { $0.echoPathHint.response += largest }
    }
    let heard = try await TestServer.run { try await $0.record(start, Self.requests) }
    #expect(heard.started.echoPathUsed && heard.status == nil)
    let samples = decode(heard.processed, .s16)[0]
    #expect(level(samples[48_000...]) < level(Signals.noise(16_000, amplitude: 0.1)) - 20)
  }

  static func path(_ change: (inout Anechoic_V1_EchoPath) -> Void) -> Anechoic_V1_EchoPath {
    .with {
      $0.sampleRateHz = 16_000
      $0.channelCount = 1
      $0.lag.nanos = 30_000_000
      $0.held.nanos = 10_000_000
      $0.response = Data(repeating: 0, count: 2 * 48 * 160)
      change(&$0)
    }
  }
}
