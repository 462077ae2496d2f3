import AnechoicAPI
import AudioCore
import GRPCTransport
import Operations
import SessionWire
import SwiftProtobuf
import TestEngines
import Testing
import TestTime
import VoiceClient
import VoiceEngines
import VoiceServer

/// A server whose threads are full. The engines are mocks: `SlowEngine` spends 4 ms of processor time
/// on each frame of 10 ms, and `HopelessEngine` 30 ms.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct OverloadTests {
  private static let realTime = Anechoic_V1_Start.mediaClock().with { $0.pacing = .realTime }

  @Test func aSessionThatDoesNotFitIsRefusedAndOneUnderTheMediaClockIsNot() async throws {
    try await run { server in
      // The answer waits until the engine's time is known.
      _ = try await server.client.capabilities(timeout: .seconds(60))
      var streams: [ProcessStream] = []
      streams.append(try await server.client.process(Self.realTime))
      streams.append(try await server.client.process(Self.realTime))
      let status = try await refusal { _ = try await server.client.process(Self.realTime) }
      #expect(status?.code == .resourceExhausted && status?.reason == "OVERLOADED")
      #expect(try status?.detail(Google_Rpc_RetryInfo.self)?.retryDelay.seconds == 1)
      streams.append(try await server.client.process(.mediaClock()))
      // A session that ends leaves its place.
      streams[0].finish()
      while try await streams[0].receive() != nil {}
      streams.append(try await server.client.process(Self.realTime))
      for stream in streams { stream.cancel() }
    }
  }

  @Test func lateSessionsDoWithLessAndTheRecordingIsReplayedBitForBit() async throws {
    let start = RecordedCall.start.with { $0.pacing = .realTime }
    // A thread takes its first session in any case.
    try await run(HopelessEngine.self) { server in
      let call = try await RecordedCall.run(server) {
        try await RunningClient.run(server, start, slackFrames: 400, pause: .milliseconds(5)) {
          client, steering in
          let watch = try await steering.begunWatch(client.session)
          let change = try await watch.event { $0.micModeChanged.reason == "OVERLOAD" }
          #expect(change.micModeChanged.preferred == .standard)
          #expect(change.micModeChanged.active == .standard)
          #expect(try await steering.get(client.session).stats.reduced)
        }
      }
      let replay = try Replay(call.file, EngineCatalog(HopelessEngine.self))
      #expect(try replay.outcome.differsBy == nil && replay.outcome.fault == nil)
      #expect(replay.processed == call.heard.processed)
      let changes = replay.events.filter { $0.micModeChanged.reason == "OVERLOAD" }
      #expect(changes.map(\.microphoneSample) == call.heard.overloads.map(\.microphoneSample))
      #expect(!changes.isEmpty)
    }
  }

  @Test func aSessionWithLessProcessingHasAllOfItAfterItsThreadForgotTheLoad() async throws {
    try await run(HopelessEngine.self, resumeWindow: .seconds(10)) { server in
      let recording = try await RunningClient.run(
        server, Self.realTime, slackFrames: 400, pause: .milliseconds(5)
      ) { client, steering in
        let watch = try await steering.begunWatch(client.session)
        let change = try await watch.event { $0.micModeChanged.reason == "OVERLOAD" }
        // The other call takes the session over, which leaves its thread and comes back.
        let again = try await server.client.process(
          Self.realTime.with {
            $0.resumeToken = client.resumeToken
            $0.resumePoint.lastEventID = change.eventID
          })
        let back = try await watch.event {
          if case .micModeChanged(let change) = $0.event { change.reason.isEmpty } else { false }
        }
        #expect(back.micModeChanged.active == .standard)
        again.cancel()
      }
      #expect(recording.status?.reason == "TAKEN_OVER")
    }
  }

  @Test func aServerThatIsLateSaysSo() async throws {
    let metrics = ServerMetrics()
    try await run(HopelessEngine.self, metrics) { server in
      #expect(try await server.client.health(of: "readiness", timeout: .seconds(20)) == .serving)
      _ = try await RunningClient.run(
        server, Self.realTime, slackFrames: 400, pause: .milliseconds(5)
      ) { client, steering in
        let watch = try await steering.begunWatch(client.session)
        _ = try await watch.event { $0.micModeChanged.reason == "OVERLOAD" }
        let lines = Exposition.prometheus.text(of: metrics.registry).split(separator: "\n")
        func value(_ name: String) -> Double? {
          lines.first { $0.hasPrefix("\(name) ") }?.split(separator: " ").last.flatMap {
            Double($0)
          }
        }
        #expect(value("anechoic_sessions_reduced") == 1)
        #expect(value("anechoic_threads_overloaded") == 1)
        #expect(value("anechoic_ready") == 0)
        #expect((value("anechoic_capacity_used_ratio") ?? 0) >= 1)
        #expect((value("anechoic_thread_load_ratio{thread=\"0\"}") ?? 0) >= 0.7)
        #expect((value("anechoic_thread_lateness_seconds{thread=\"0\"}") ?? 0) >= 0.05)
        #expect((value("anechoic_frame_lateness_seconds_count") ?? 0) > 0)
        let readiness = try await server.client.health(of: "readiness", timeout: .seconds(20))
        #expect(readiness == .notServing)
        let status = try await refusal { _ = try await server.client.process(Self.realTime) }
        #expect(status?.reason == "OVERLOADED")
      }
    }
  }

  @Test func aServerWhoseBudgetIsTakenIsNotReady() async throws {
    try await run { server in
      _ = try await server.client.capabilities(timeout: .seconds(60))
      func readiness() async throws -> VoiceProcessingClient.ServingStatus {
        try await server.client.health(of: "readiness", timeout: .seconds(20))
      }
      let first = try await server.client.process(Self.realTime)
      #expect(try await readiness() == .serving)
      let second = try await server.client.process(Self.realTime)
      #expect(try await readiness() == .notServing)
      #expect(try await server.client.health(timeout: .seconds(20)) == .serving)
      second.finish()
      while try await second.receive() != nil {}
      // Not at once, so that it does not change with each session.
      #expect(try await readiness() == .notServing)
      try await eventually("it is ready") { try await readiness() == .serving }
      first.cancel()
    }
  }

  @Test func aSessionUnderTheMediaClockKeepsItsProcessing() async throws {
    try await run(HopelessEngine.self) { server in
      let recording = try await server.record(
        .mediaClock(), microphone: AudioFormat.s16.babble(1000))
      #expect(recording.overloads.isEmpty)
    }
  }

  private func run(
    _ engine: any VoiceEngine.Type = SlowEngine.self, _ metrics: ServerMetrics = ServerMetrics(),
    resumeWindow: Duration = .zero, _ body: (TestServer) async throws -> Void
  ) async throws {
    try await TestServer.run(
      {
        $0.metrics = metrics
        $0.engines = EngineCatalog(engine)
        $0.limits.frameBudget = 0.9
        $0.limits.resumeWindow = resumeWindow
        $0.allowsRecording = true
      }, body)
  }
}

extension Recording {
  fileprivate var overloads: [Anechoic_V1_SessionEvent] {
    events.filter { $0.micModeChanged.reason == "OVERLOAD" }
  }
}
