import AnechoicAPI
import AudioCore
import Foundation
import SessionWire
import SwiftProtobuf
import TestAudio
import Testing
import VoiceServer

/// The outputs for a recognizer of speech and for a recording, over a real connection.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct ConsumerOutputTests {
  private static let start = RecordedCall.start.with {
    $0.inputs.reference = Anechoic_V1_AudioFormat(.s16)
    $0.outputs.recognizer = Anechoic_V1_AudioFormat(
      AudioFormat(encoding: .f32, rate: .hz8000, channelCount: 1))
    $0.outputs.raw = Anechoic_V1_AudioFormat(.s16)
  }

  private static let requests = Anechoic_V1_ProcessRequest.audio(
    microphone: AudioFormat.s16.babble(900), .s16,
    reference: AudioFormat.s16.babble(900, seed: 5), .s16)

  @Test func aSessionTellsItsOutputsAndTheirDelaysAndSendsThem() async throws {
    let heard = try await TestServer.run { try await $0.record(Self.start, Self.requests) }
    let started = heard.started
    #expect(started.outputs.recognizer.sampleRateHz == 8000)
    #expect(started.outputs.raw == Self.start.outputs.raw)
    #expect(started.rawDelay == started.algorithmicDelay)
    #expect(started.recognizerDelay.nanos > started.rawDelay.nanos)
    let samples = 16 * 900
    #expect(heard.processed.count == 2 * samples && heard.raw.count == 2 * samples)
    #expect(heard.recognizer.count == 4 * samples / 2)
    let delay =
      2
      * AudioFormat.s16.rate.samples(
        in: .nanoseconds(Int(started.rawDelay.nanos)))
    let microphone = AudioFormat.s16.babble(900)
    #expect(Array(heard.raw[delay...]) == Array(microphone.dropLast(delay)))
  }

  @Test func aSessionWithoutThemHasNeitherOutputsNorDelays() async throws {
    let start = Self.start.with { $0.clearOutputs() }
    let heard = try await TestServer.run { try await $0.record(start, Self.requests) }
    #expect(!heard.started.outputs.hasRecognizer && !heard.started.outputs.hasRaw)
    #expect(!heard.started.hasRecognizerDelay && !heard.started.hasRawDelay)
    #expect(heard.recognizer.isEmpty && heard.raw.isEmpty)
  }

  @Test func aReplayHasTheSameOutputs() async throws {
    let call = try await RecordedCall.run { try await $0.record(Self.start, Self.requests) }
    #expect(!call.heard.recognizer.isEmpty && !call.heard.raw.isEmpty)
    let digest = try call.expectSame().outcome.digest
    #expect(digest.recognizerSha256.count == 32 && digest.rawSha256.count == 32)
  }

  @Test(arguments: [10, 20])
  func anOpusOutputGivesEachOutputAPacketAChunk(milliseconds: Int32) async throws {
    let start = Self.start.with {
      $0.outputs.recognizer = Anechoic_V1_AudioFormat(.opus(.hz16000))
      $0.outputs.chunkDuration.nanos = milliseconds * 1_000_000
    }
    let heard = try await TestServer.run { try await $0.record(start, Self.requests) }
    #expect(heard.firstSamples.count == 900 / Int(milliseconds))
    #expect(!heard.recognizer.isEmpty)
    #expect(heard.recognizer.count < heard.raw.count / 4)
  }
}
