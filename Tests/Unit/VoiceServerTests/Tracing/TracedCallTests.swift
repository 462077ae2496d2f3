import AnechoicAPI
import AudioCore
import GRPCTransport
import Operations
import SwiftProtobuf
import TestNetwork
import Testing
import VoiceServer

/// The spans of calls and sessions, as a collector gets them.
@Suite(.timeLimit(.minutes(2)))
struct TracedCallTests {
  private static let start = Anechoic_V1_Start.mediaClock().withoutInjection
  private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
  private static let above = "00f067aa0ba902b7"
  private static let process = "anechoic.v1.VoiceProcessingService/Process"

  private static func parent(_ flags: String) -> [String: String] {
    ["traceparent": "00-\(trace)-\(above)-\(flags)"]
  }

  /// Returns the spans of a server while `body` calls it.
  private func spans(
    ratio: Double = 0, _ body: (DoorServer) async throws -> Void
  ) async throws -> [SpanCollector.Span] {
    let collector = try SpanCollector()
    let exporter = SpanExporter(
      OTLPCollector(address: collector.endpoint),
      service: SpanDocument.Service(name: "anechoic-server", version: "1", instance: "a/1"),
      counts: SpanExporter.Counts(MetricsRegistry())
    ) { _ in }
    try await DoorServer.run {
      $0.limits.resumeWindow = .seconds(20)
      $0.tracer = ExportingTracer(TraceSampling(ratio: ratio), exporter)
    } _: { server in
      try await body(server)
    }
    exporter.stop(atMost: .seconds(20))
    return collector.spans
  }

  /// Runs a session of 10 ms over a WebSocket.
  private func runSession(on server: DoorServer, _ headers: [String: String]) throws {
    let client = try server.start(Self.start, headers)
    client.send(microphone: [UInt8](repeating: 0, count: 640))
    client.send(RawWebSocketClient.end)
    _ = client.rest()
  }

  @Test func aCallAndItsSessionAreSpansBelowThatOfTheClient() async throws {
    let spans = try await spans { try runSession(on: $0, Self.parent("01")) }
    let call = try #require(spans.first { $0.name == Self.process })
    let session = try #require(spans.first { $0.name == "session" })
    #expect(spans.count == 2 && [call.trace, session.trace] == [Self.trace, Self.trace])
    #expect(call.parent == Self.above && session.parent == call.id)
    #expect(call.kind == 2 && session.kind == 1 && call.status == 0)
    #expect(call.times.contains(session.times.lowerBound))
    let id = try #require(session.attributes["anechoic.session.id"])
    #expect(!id.isEmpty && call.attributes["anechoic.session.id"] == id)
    #expect(call.attributes["rpc.system"] == "grpc" && call.attributes["rpc.method"] == "Process")
    #expect(call.attributes["rpc.service"] == "anechoic.v1.VoiceProcessingService")
    #expect(call.attributes["rpc.grpc.status_code"] == "0")
    #expect(call.attributes["client.address"] == "127.0.0.1")
    #expect(call.attributes["anechoic.correlation"] == Self.trace)
    #expect(session.attributes["anechoic.session.end_reason"] == "client_closed")
    #expect(session.attributes["anechoic.session.pacing"] == "media_clock")
    #expect(session.attributes["anechoic.session.frames"] == "2")
    #expect(session.attributes["anechoic.session.engine"]?.hasPrefix("anechoic") == true)
  }

  @Test func theClientDecidesForItsTraces() async throws {
    let none = try await spans(ratio: 1) { try runSession(on: $0, Self.parent("00")) }
    #expect(none.isEmpty)
  }

  @Test func theRatioDecidesForOtherTraces() async throws {
    #expect(try await spans(ratio: 0) { try runSession(on: $0, [:]) }.isEmpty)
    let all = try await spans(ratio: 1) { try runSession(on: $0, [:]) }
    let call = try #require(all.first { $0.name == Self.process })
    #expect(all.count == 2 && call.parent.isEmpty && call.trace.count == 32)
    #expect(call.attributes["anechoic.correlation"] == call.trace)
  }

  @Test func aRefusedCallHasItsCode() async throws {
    let method = Method(service: RPC.sessions, name: RPC.getSession)
    let spans = try await spans(ratio: 1) { server in
      let request =
        try Anechoic_V1_GetSessionRequest.with { $0.name = "sessions/nobody" }
        .serializedBytes() as [UInt8]
      await #expect(throws: Status.self) { try await server.grpc.channel.unary(method, request) }
    }
    #expect(spans.map(\.name) == ["\(method.service)/\(method.name)"])
    #expect(spans.first?.attributes["rpc.grpc.status_code"] == "5" && spans.first?.status == 0)
  }

  @Test func checksOfHealthAreNotTraced() async throws {
    let method = Method(service: RPC.health, name: RPC.check)
    let spans = try await spans(ratio: 1) { server in
      _ = try await server.grpc.channel.unary(method, [])
    }
    #expect(spans.isEmpty)
  }

  @Test func aResumedSessionIsOneSpan() async throws {
    let spans = try await spans { server in
      let client = try server.start(Self.start, Self.parent("01"))
      let started = try #require(client.nextResponse()?.started)
      client.send(microphone: [UInt8](repeating: 0, count: 640))
      _ = client.next()
      client.reset()
      let resumption = Self.start.with {
        $0.resumeToken = started.resumeToken
        $0.resumePoint.microphoneSample = 320
      }
      let again = try server.start(resumption, Self.parent("01"))
      #expect(try again.nextResponse()?.started.session == started.session)
      again.send(RawWebSocketClient.end)
      _ = again.rest()
    }
    let session = try #require(spans.first { $0.name == "session" })
    let calls = spans.filter { $0.name == Self.process }
    #expect(spans.count == 3 && calls.count == 2 && session.events == ["resumed"])
    #expect(calls.count { $0.id == session.parent } == 1)
    #expect(calls.count { $0.links == [session.id] } == 1)
    #expect(Set(calls.map { $0.attributes["anechoic.session.id"] }).count == 1)
  }
}
