import AnechoicAPI
import AudioCore
import SessionWire
import SwiftProtobuf
import TestAudio
import Testing
import VoiceEngines
import VoiceServer

/// The main job: a microphone and its reference in, the same duration of processed audio out.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct MainJobTests {
  private let microphone = AudioFormat.s16.babble(1234)
  private let reference = AudioFormat.s16.babble(1234, seed: 2)

  @Test func asManyBytesComeOutAsWentIn() async throws {
    try await TestServer.run { server in
      let recording = try await server.record(
        .mediaClock(reference: .s16), requests(milliseconds: 20))
      #expect(recording.processed.count == microphone.count)
      #expect(recording.firstSamples == stride(from: 0, to: 124 * 160, by: 160).map { Int64($0) })
      #expect(recording.frames.count == 124)
      #expect(recording.endReason == .clientClosed && recording.hasContiguousEvents)
      #expect(recording.processed != microphone)
    }
  }

  @Test func startedHasEveryDefaultFilledIn() async throws {
    try await TestServer.run { server in
      let started = try await server.record(.mediaClock(), []).started
      #expect(started.session.wholeMatch(of: /sessions\/[0-9a-f]{16}/) != nil)
      let processing = started.config.voiceProcessing
      #expect(processing.echoCancellation.enabled)
      #expect(processing.echoCancellation.suppression == .moderate)
      #expect(processing.noiseSuppression.enabled)
      #expect(processing.noiseSuppression.level == .moderate)
      #expect(processing.gainControl.enabled && processing.gainControl.targetLevelDbfs == 3)
      #expect(processing.hasHighPassFilter && processing.highPassFilter)
      #expect(started.config.preferredMicMode == .standard)
      let detection = started.config.voiceActivityDetection
      #expect(!detection.enabled)
      #expect(detection.startWindow == Google_Protobuf_Duration(seconds: 0, nanos: 100_000_000))
      #expect(detection.hangover == Google_Protobuf_Duration(seconds: 0, nanos: 300_000_000))
      #expect(started.hasMute && !started.mute.muted)
      #expect(started.inputs.microphone == Anechoic_V1_AudioFormat(.s16))
      #expect(!started.inputs.hasReference && !started.outputs.hasPlayback)
      #expect(started.outputs.processed == Anechoic_V1_AudioFormat(.s16))
      #expect(started.outputs.chunkDuration.nanos == 10_000_000)
      #expect(started.hasAlgorithmicDelay && started.algorithmicDelay.seconds == 0)
      #expect((0..<100_000_000).contains(started.algorithmicDelay.nanos))
      let engine = TestServer.engines.defaultEngine.identity
      #expect(engine.name == "anechoic" && started.engine.name == engine.name)
      #expect(started.engine.version == engine.version)
      #expect(started.engine.weightsSha256 == engine.weights && !engine.weights.isEmpty)
    }
  }

  @Test(arguments: SampleRate.allCases, SampleEncoding.allCases)
  func everyFormatKeepsItsLength(rate: SampleRate, encoding: SampleEncoding) async throws {
    try await TestServer.run { server in
      for channelCount in AudioFormat.channelCounts {
        let format = AudioFormat(encoding: encoding, rate: rate, channelCount: channelCount)
        let microphone = format.babble(123)
        let recording = try await server.record(
          .mediaClock(format), microphone: microphone, format)
        #expect(recording.processed.count == microphone.count)
        #expect(recording.started.outputs.processed == Anechoic_V1_AudioFormat(format))
      }
    }
  }

  @Test func microphoneReferenceAndOutputMayDiffer() async throws {
    let microphoneFormat = AudioFormat(encoding: .s16, rate: .hz48000, channelCount: 2)
    let referenceFormat = AudioFormat(encoding: .f32, rate: .hz44100, channelCount: 1)
    let outputFormat = AudioFormat(encoding: .f32, rate: .hz8000, channelCount: 1)
    try await TestServer.run { server in
      let start = Anechoic_V1_Start.mediaClock(microphoneFormat, reference: referenceFormat).with {
        $0.outputs.processed = Anechoic_V1_AudioFormat(outputFormat)
        $0.outputs.chunkDuration.nanos = 120_000_000
      }
      let requests = Anechoic_V1_ProcessRequest.audio(
        microphone: microphoneFormat.babble(1000), microphoneFormat,
        reference: referenceFormat.babble(1000), referenceFormat, milliseconds: 40)
      let recording = try await server.record(start, requests)
      #expect(recording.processed.count == outputFormat.bytes(1000))
      #expect(recording.firstSamples == (0..<9).map { Int64($0 * 960) })
      #expect(recording.frames.count == 100)
    }
  }

  @Test(arguments: [1, 2])
  func theSameBytesInGiveTheSameBytesOut(threads: Int) async throws {
    let expected = try await TestServer.run { server in
      try await server.record(.mediaClock(reference: .s16), requests(milliseconds: 20)).processed
    }
    try await TestServer.run(threads: threads) { server in
      for milliseconds in [20, 10, 37] {
        let requests = requests(milliseconds: milliseconds)
        async let first = server.record(.mediaClock(reference: .s16), requests)
        async let second = server.record(.mediaClock(reference: .s16), requests)
        let outputs = try await [first.processed, second.processed]
        #expect(outputs == [expected, expected], "in chunks of \(milliseconds) ms")
      }
    }
  }

  @Test func aUnixSocketServesAsWell() async throws {
    try await withUnixSocket { address in
      try await TestServer.run {
        $0.addresses = [address]
      } _: { server in
        let recording = try await server.record(.mediaClock(), microphone: microphone)
        #expect(recording.processed.count == microphone.count)
      }
    }
  }

  private func requests(milliseconds: Int) -> [Anechoic_V1_ProcessRequest] {
    Anechoic_V1_ProcessRequest.audio(
      microphone: microphone, .s16, reference: reference, .s16, milliseconds: milliseconds)
  }
}
