import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import Logging
import Operations
import SwiftProtobuf
import Synchronization
import TestAudio
import Testing
import TestTime
import VoiceClient
import VoiceServer

/// The metrics and the log of a server with sessions.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct MetricsTests {
  private let metrics = ServerMetrics()
  private let lines = LogLines()

  private var log: ServerLog {
    let lines = lines
    return ServerLog(
      Logger(label: "test") { _ in CapturingHandler(lines, prefix: "") },
      audit: Logger(label: "audit") { _ in CapturingHandler(lines, prefix: "audit ") })
  }

  private func run<Result>(
    _ configure: (inout ServerConfiguration) -> Void = { _ in },
    _ body: (TestServer) async throws -> Result
  ) async throws -> Result {
    try await TestServer.run {
      $0.metrics = metrics
      $0.log = log
      configure(&$0)
    } _: {
      try await body($0)
    }
  }

  /// Returns the value of a series, such as `anechoic_sessions`.
  private func value(_ series: String) -> Double? {
    Exposition.prometheus.text(of: metrics.registry).split(separator: "\n")
      .first { $0.hasPrefix(series + " ") }
      .flatMap { Double($0.dropFirst(series.count + 1)) }
  }

  @Test func aSessionIsCounted() async throws {
    try await run { server in
      let stream = try await server.client.process(.mediaClock())
      #expect(value("anechoic_sessions") == 1 && value("anechoic_session_capacity") == 1000)
      try await stream.send(.with { $0.microphone.samples = Data(AudioFormat.s16.babble(1000)) })
      stream.finish()
      while try await stream.receive() != nil {}
      try await eventually("it is not counted any more") { value("anechoic_sessions") == 0 }
    }
    #expect(value("anechoic_frames_processed_total") == 100)
    #expect(value("anechoic_frame_processing_seconds_count") == 100)
    #expect((value("anechoic_realtime_factor") ?? 0) > 0)
    #expect(value("anechoic_sessions_ended_total{reason=\"client_closed\"}") == 1)
    let process =
      "grpc_type=\"bidi_stream\",grpc_service=\"anechoic.v1.VoiceProcessingService\","
      + "grpc_method=\"Process\""
    #expect(value("grpc_server_started_total{\(process)}") == 1)
    #expect(value("grpc_server_msg_received_total{\(process)}") == 2)
    #expect((value("grpc_server_msg_sent_total{\(process)}") ?? 0) > 100)
    #expect(value("grpc_server_handled_total{\(process),grpc_code=\"OK\"}") == 1)
    #expect(value("grpc_server_handling_seconds_count{\(process)}") == 1)
  }

  @Test func theStartAndTheEndOfASessionAreOneLineEach() async throws {
    try await run { server in
      let stream = try await server.client.process(.mediaClock())
      try await stream.send(.with { $0.microphone.samples = Data(AudioFormat.s16.babble(200)) })
      stream.finish()
      while try await stream.receive() != nil {}
    }
    let started = lines.all.filter { $0.hasPrefix("session started") }
    let ended = lines.all.filter { $0.hasPrefix("session ended") }
    try #require(started.count == 1 && ended.count == 1, "\(lines.all)")
    for key in ["session=", "principal=", "engine=", "microphone=s16/16000/1", "correlation="] {
      #expect(started[0].contains(key), "\(started)")
    }
    for key in [
      "session=", "reason=client_closed", "duration_s=", "frames=20", "frame_p99_us=",
      "samples_concealed=0", "output_chunks_dropped=0",
    ] { #expect(ended[0].contains(key), "\(ended)") }
  }

  /// Lets a full server refuse a session without a name.
  private func refuseASession() async throws {
    try await run {
      $0.limits.sessions = 1
    } _: { server in
      let stream = try await server.client.process(.mediaClock())
      await #expect(throws: Status.self) { try await server.client.process(.mediaClock()) }
      stream.finish()
    }
  }

  @Test func aRefusedSessionIsLoggedAndCounted() async throws {
    try await refuseASession()
    #expect(value("anechoic_sessions_refused_total{reason=\"SERVER_FULL\"}") == 1)
    #expect(lines.all.contains { $0.hasPrefix("refused") && $0.contains("reason=SERVER_FULL") })
  }

  @Test func aRequestThatEndsASessionIsLoggedWithTheSession() async throws {
    try await run { server in
      let stream = try await server.client.process(.mediaClock())
      try await stream.send(.with { $0.microphone.samples = Data([1, 2, 3]) })
      await #expect(throws: Status.self) { while try await stream.receive() != nil {} }
      let line = lines.all.first { $0.hasPrefix("refused") }
      for field in ["reason=INVALID_FIELD", "session=\(stream.started.session.dropFirst(9))"] {
        #expect(line?.contains(field) == true, "\(lines.all)")
      }
    }
    #expect(value("anechoic_sessions_refused_total{reason=\"INVALID_FIELD\"}") == nil)
  }

  @Test func aFieldOfWhichThereIsNothingToSayIsLeftOut() async throws {
    try await refuseASession()
    log.switched("switch injection", to: "", isDone: false, by: "olga")
    #expect(
      lines.all.last
        == "audit control action=switch injection outcome=PERMISSION_DENIED principal=olga")
    #expect(lines.all.contains { $0.hasPrefix("refused") }, "\(lines.all)")
    #expect(!lines.all.contains { $0.contains("= ") || $0.hasSuffix("=") }, "\(lines.all)")
  }

  @Test func aControlActionIsAuditedWhateverItsOutcome() async throws {
    try await run { server in
      let stream = try await server.client.process(.mediaClock())
      let name = stream.started.session
      let sessions = SessionsClient(server: server.address, clientName: "olga")
      _ = try await sessions.setMute(name, muted: true)
      _ = try? await sessions.setMute("sessions/nobody", muted: true)
      stream.finish()
      let audits = lines.all.filter { $0.hasPrefix("audit control") }
      try #require(audits.count == 2, "\(lines.all)")
      #expect(audits[0].contains("action=SetMute") && audits[0].contains("outcome=OK"))
      #expect(
        audits[0].contains("principal=olga") && audits[0].contains("session=\(name.dropFirst(9))"))
      #expect(audits[1].contains("outcome=NOT_FOUND") && audits[1].contains("session=nobody"))
      #expect(audits[1].contains("reason=NO_SESSION"))
    }
  }

  @Test func refusalsInTheAuditLogAreLimitedAndActionsAreNot() async throws {
    try await run { server in
      let stream = try await server.client.process(.mediaClock())
      let sessions = SessionsClient(server: server.address, clientName: "olga")
      func refuse() async { _ = try? await sessions.setMute("sessions/nobody", muted: true) }
      func audits(_ outcome: String) -> [String] {
        lines.all.filter { $0.hasPrefix("audit control") && $0.contains("outcome=\(outcome)") }
      }
      let began = ContinuousClock.now
      for _ in 0..<300 { await refuse() }
      let allowed =
        LogBudget.burst + LogBudget.perSecond * ((ContinuousClock.now - began) / .seconds(1))
      #expect(Double(audits("NOT_FOUND").count) <= allowed + 1)
      for _ in 0..<100 { _ = try await sessions.setMute(stream.started.session, muted: true) }
      #expect(audits("OK").count == 100)
      try await eventually("the suppressed lines are told") {
        await refuse()
        return audits("NOT_FOUND").contains { $0.contains("suppressed=") }
      }
      stream.finish()
    }
  }

  @Test func concealedSamplesAreCounted() async throws {
    try await run { server in
      let stream = try await server.client.process(.mediaClock())
      try await stream.send(.with { $0.microphone.samples = Data(AudioFormat.s16.babble(100)) })
      try await stream.send(
        .with {
          $0.microphone.firstSample = 1600 + 480
          $0.microphone.samples = Data(AudioFormat.s16.babble(100))
        })
      stream.finish()
      while try await stream.receive() != nil {}
    }
    #expect(value("anechoic_samples_concealed_total") == 480)
  }

  @Test func nothingOfAudioOrTokensIsLogged() async throws {
    let secret = "eyJhbGciOiJub25lIn0.c2VjcmV0"
    try await run { server in
      var metadata = Metadata()
      metadata.append("authorization", "Bearer \(secret)")
      let call = server.channel.call(
        Method(service: RPC.voiceProcessing, name: RPC.process), metadata: metadata,
        timeout: .seconds(10))
      let start = Anechoic_V1_ProcessRequest.with { $0.start = .mediaClock() }
      try await call.send(start.serializedBytes())
      _ = try await call.receive()
      call.halfClose()
      while try await call.receive() != nil {}
    }
    #expect(!lines.all.isEmpty)
    #expect(!lines.all.contains { $0.contains(secret) || $0.lowercased().contains("bearer") })
  }
}

final class LogLines: Sendable {
  private let lines = Mutex<[String]>([])

  var all: [String] { lines.withLock { $0 } }
  func add(_ line: String) { lines.withLock { $0.append(line) } }
}

/// A handler of swift-log that keeps all events.
private struct CapturingHandler: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace
  private let lines: LogLines
  private let prefix: String

  init(_ lines: LogLines, prefix: String) {
    self.lines = lines
    self.prefix = prefix
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let fields = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0)=\($1)" }
    lines.add(prefix + "\(event.message) " + fields.joined(separator: " "))
  }
}
