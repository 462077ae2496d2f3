import AnechoicAPI
import AudioCore
import GRPCTransport
import SessionWire
import SwiftProtobuf
import TestEngines
import Testing
import VoiceClient
import VoiceEngines
import VoiceServer
import WebRTCEngine

/// Servers and replays with several engines.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct EngineChoiceTests {
  private static let catalog = EngineCatalog(WebRTCVoiceEngine.self, DelayEngine.self)
  private let microphone = AudioFormat.s16.babble(500)

  @Test func aSessionUsesTheEngineThatItsStartNames() async throws {
    try await TestServer.run {
      $0.engines = Self.catalog
    } _: { server in
      let chosen = try await server.record(Self.start("delay"), microphone: microphone)
      #expect(chosen.started.engine == Self.message(DelayEngine.identity))
      #expect(chosen.started.algorithmicDelay == Google_Protobuf_Duration(nanos: 2_000_000))
      let delayed = [UInt8](repeating: 0, count: AudioFormat.s16.bytes(2)) + microphone
      #expect(chosen.processed == Array(delayed.prefix(microphone.count)))
      let other = try await server.record(Self.start(""), microphone: microphone)
      #expect(other.started.engine == Self.message(WebRTCVoiceEngine.identity))
      #expect(other.processed != chosen.processed)
    }
  }

  @Test func theDefaultOfTheServerCanBeAnyEngine() async throws {
    try await TestServer.run {
      $0.engines = try Self.catalog.preferring("delay")
    } _: { server in
      let started = try await server.record(Self.start(""), []).started
      #expect(started.engine == Self.message(DelayEngine.identity))
    }
  }

  @Test func anUnknownEngineIsRefusedWithTheNamesOfTheOthers() async throws {
    try await TestServer.run {
      $0.engines = Self.catalog
    } _: { server in
      for name in ["unknown", String(repeating: "x", count: 20_000)] {
        let status = try await server.status(after: [.start(Self.start(name))])
        try status.expect(.invalidArgument, field: "start.engine")
        #expect(status.message.contains("use webrtc-audio-processing or delay"), "\(status)")
      }
      #expect(try await server.client.capabilities().sessionsActive == 0)
    }
  }

  @Test func theCapabilitiesListTheEnginesWithTheirDelays() async throws {
    try await TestServer.run {
      $0.engines = Self.catalog
    } _: { server in
      let engines = try await server.client.capabilities().engines
      #expect(engines.map(\.engine) == Self.catalog.engines.map { Self.message($0.identity) })
      #expect(engines.map(\.isDefault) == [true, false])
      for (listed, engine) in zip(engines, Self.catalog.engines) {
        #expect(listed.rates.allSatisfy { $0.hasFrameTime && $0.frameTime.nanos > 0 })
        #expect(listed.rates.map(\.sampleRateHz) == engine.processingRates.map { UInt32($0.hertz) })
        for (rate, listed) in zip(engine.processingRates, listed.rates) {
          let format = AudioFormat(encoding: .s16, rate: rate, channelCount: 1)
          let name = engine.identity.name
          let alone = try await server.record(Self.start(name, format), []).started
          #expect(alone.algorithmicDelay == listed.delayWithoutReference)
          let both = try await server.record(Self.start(name, format, reference: format), [])
            .started
          #expect(both.algorithmicDelay == listed.delayWithReference)
        }
      }
    }
  }

  @Test func aRecordingIsReplayedWithTheEngineThatItNames() async throws {
    let call = try await recordedCall()
    // The default engine of the replay does not matter.
    let replay = try Replay(call.file, Self.catalog)
    #expect(replay.processed == call.heard.processed)
    let outcome = try replay.outcome
    #expect(outcome.engine == DelayEngine.identity && outcome.hasSameEngine)
    #expect(outcome.differsBy == nil && outcome.fault == nil)
  }

  @Test func aReplayWithoutTheRecordedEngineIsRefused() async throws {
    let call = try await recordedCall()
    let error = #expect(throws: RecordingError.self) {
      try Replay(call.file, EngineCatalog(WebRTCVoiceEngine.self))
    }
    #expect(
      error?.description
        == "was recorded with the engine delay/1 (weights 5a5a5a5a5a5a), which this program does not "
        + "have; it has webrtc-audio-processing")
  }

  @Test func aReplayWithOtherWeightsIsReported() async throws {
    let call = try await recordedCall()
    let replay = try Replay(
      call.file, EngineCatalog(WebRTCVoiceEngine.self, RetrainedDelayEngine.self))
    let outcome = try replay.outcome
    #expect(!outcome.hasSameEngine && outcome.engine == RetrainedDelayEngine.identity)
    #expect(outcome.fault == nil && replay.processed == call.heard.processed)
  }

  /// The header of such a recording has the fields of the first version only.
  @Test func aRecordingOfAnEngineWithoutWeightsIsReadAsBefore() async throws {
    let call = try await RecordedCall.run { server in
      try await server.record(
        RecordedCall.start.with { $0.engine = "webrtc-audio-processing" }, microphone: microphone)
    }
    let header = try SessionReplay(call.file, engines: Self.catalog).header
    #expect(header.engine == "webrtc-audio-processing/0.3")
    #expect(header.engineWeightsSha256.isEmpty)
    #expect(try call.expectSame().outcome.hasSameEngine)
  }

  private func recordedCall() async throws -> RecordedCall {
    try await TestServer.run {
      $0.engines = Self.catalog
      $0.allowsRecording = true
    } _: { server in
      try await RecordedCall.run(server) {
        try await server.record(
          RecordedCall.start.with { $0.engine = "delay" }, microphone: microphone)
      }
    }
  }

  private static func start(
    _ engine: String, _ microphone: AudioFormat = .s16, reference: AudioFormat? = nil
  ) -> Anechoic_V1_Start {
    var start = Anechoic_V1_Start.mediaClock(microphone, reference: reference)
    start.engine = engine
    return start
  }

  private static func message(_ identity: EngineIdentity) -> Anechoic_V1_Engine {
    .with {
      $0.name = identity.name
      $0.version = identity.version
      $0.weightsSha256 = identity.weights
    }
  }
}
