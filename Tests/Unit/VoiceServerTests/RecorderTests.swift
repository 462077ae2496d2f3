import AnechoicAPI
import AudioCore
import BundledEngines
import Foundation
import GRPCTransport
import SwiftProtobuf
import Testing
import TestTime
import VoiceClient
import VoiceEngines
import VoiceServer

/// The permission to record, and recorders that are too slow.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct RecorderTests {
  private static let name = "sessions/\(RecordedCall.id)"
  private static let method = Method(service: RPC.sessions, name: RPC.recordSession)

  /// Controls of 4 MB. The session refuses them because of their size, but they are recorded.
  private static let largeRequests: [Anechoic_V1_ProcessRequest] = {
    // The unknown field 15, with this number of bytes.
    let field = [0x7A, 0x80, 0x92, 0xF4, 0x01] + [UInt8](repeating: 1, count: 4_000_000)
    let control = (try? Anechoic_V1_Control(serializedBytes: field)) ?? .init()
    return [Anechoic_V1_ProcessRequest](repeating: .control(control), count: 20)
  }()

  @Test func aServerThatWasNotToldToAllowsNobody() async throws {
    try await TestServer.run { server in
      let refusal = try await refusal { _ = try await record(server) }
      #expect(refusal?.code == .permissionDenied && refusal?.reason == "RECORDING_NOT_ALLOWED")
    }
  }

  @Test func aSessionThatHasBegunIsNotRecorded() async throws {
    try await allowing { server in
      _ = try await RunningClient.run(server, RecordedCall.start) { _, _ in
        let refusal = try await refusal { _ = try await record(server) }
        #expect(refusal?.code == .failedPrecondition && refusal?.reason == "SESSION_HAS_BEGUN")
      }
    }
  }

  @Test func aRecorderThatWaitsTooLongGetsAStatus() async throws {
    try await allowing { server in
      let stream = try await record(server, wait: .milliseconds(20))
      let refusal = try await refusal { _ = try await stream.whole() }
      #expect(refusal?.code == .notFound && refusal?.reason == "NO_SESSION")
      // The name is free again, for a recorder and for a session.
      let call = try await RecordedCall.run(server) {
        try await server.record(RecordedCall.start, microphone: AudioFormat.s16.babble(100))
      }
      try call.expectSame()
    }
  }

  @Test func aSecondRecorderMayWaitWhenTheFirstHasGone() async throws {
    try await allowing { server in
      let first = try await record(server)
      let refusal = try await refusal { _ = try await record(server) }
      #expect(refusal?.code == .alreadyExists && refusal?.reason == "RECORDER_EXISTS")
      first.cancel()
      try await untilNobodyRecords(server).cancel()
    }
  }

  @Test func notMoreThan64Wait() async throws {
    try await allowing { server in
      let client = server.steering(as: "archive")
      var streams: [RecordingStream] = []
      for index in 0..<64 { streams.append(try await client.record("sessions/s-\(index)")) }
      let refusal = try await refusal { _ = try await record(server) }
      #expect(refusal?.code == .resourceExhausted && refusal?.reason == "TOO_MANY_RECORDERS")
      streams.forEach { $0.cancel() }
    }
  }

  @Test func aServerThatStopsTellsThoseWhoWait() async throws {
    let stream = try await allowing { try await record($0) }
    let refusal = try await refusal { _ = try await stream.whole() }
    #expect(refusal?.code == .unavailable && refusal?.reason == "DRAINING")
  }

  @Test(arguments: ["", "recorded", "sessions/", "sessions/a b", "sessions/a/b"])
  func anInvalidNameIsRefused(name: String) async throws {
    try await expectRefusal(of: .with { $0.name = name }, field: "name")
  }

  @Test(arguments: [
    Google_Protobuf_Duration(seconds: -1), .init(seconds: 3601), .init(seconds: 1, nanos: -1),
    .init(nanos: .min), .init(seconds: .max),
  ])
  func anInvalidWaitIsRefused(wait: Google_Protobuf_Duration) async throws {
    try await expectRefusal(
      of: .with {
        $0.name = Self.name
        $0.wait = wait
      }, field: "wait")
  }

  @Test func aRecorderTooFarBehindLosesTheRecordingAndNobodyElseNotices() async throws {
    try await allowing { server in
      let recorder = try await stubbornRecorder(of: server)
      let audio = Anechoic_V1_ProcessRequest.audio(
        microphone: AudioFormat.s16.babble(500), .s16)
      let requests =
        Array(audio.prefix(5)) + Self.largeRequests
      let heard = try await server.record(RecordedCall.start, requests + Array(audio.dropFirst(5)))
      #expect(heard.results.count == 20 && heard.endReason == .clientClosed)
      let alone = try await server.record(RecordedCall.start, audio)
      #expect(heard.processed == alone.processed)
      let trailers = try await recorder.read().trailers
      #expect(trailers.contains("64 MiB of the recording waited"), "\(trailers)")
    }
  }

  @Test func theBacklogOfAnIncompleteFrameIsBoundedToo() async throws {
    try await allowing { server in
      let recorder = try await record(server)
      let session = try await server.client.process(RecordedCall.start)
      try await session.send(.with { $0.microphone.samples = Data(count: 162) })
      var results = 0
      for request in Self.largeRequests {
        try await session.send(request.control)
        while let response = try await session.receive() {
          if case .controlResult = response.response { break }
        }
        results += 1
      }
      #expect(results == 20)
      // The session continues to run.
      let refusal = try await refusal { _ = try await recorder.whole() }
      #expect(refusal?.code == .resourceExhausted && refusal?.reason == "RECORDER_TOO_SLOW")
      session.finish()
      while try await session.receive() != nil {}
    }
  }

  /// The recorder begins to read later than the time for which the server waits for an answer on
  /// its way.
  @Test func aStopWaitsForASlowRecorder() async throws {
    var configuration = ServerConfiguration(
      addresses: ["127.0.0.1:0"], threads: 1, engines: .bundled)
    configuration.allowsRecording = true
    let server = try VoiceProcessingServer(configuration)
    let running = try TestServer(server)
    let recorder = try await stubbornRecorder(of: running)
    let heard = try await running.record(
      RecordedCall.start, microphone: AudioFormat.s16.babble(8000))
    async let stopped: Void = server.stop(grace: .seconds(20))
    try await realTime(.milliseconds(1500))
    let answer = try await recorder.read()
    await stopped
    let file = try answer.messages.reduce(into: Data()) {
      $0 += try Anechoic_V1_RecordSessionResponse(serializedBytes: $1).recording
    }
    try RecordedCall(heard: heard, file: file).expectSame()
  }

  @Test func aRecorderThatNeverReadsIsLetGo() async throws {
    try await TestServer.run {
      $0.allowsRecording = true
      $0.stalledConsumerTimeout = .milliseconds(400)
    } _: { server in
      let recorder = try await stubbornRecorder(of: server)
      let heard = try await server.record(
        RecordedCall.start, microphone: AudioFormat.s16.babble(4000))
      #expect(heard.endReason == .clientClosed)
      try await realTime(.milliseconds(600))
      let trailers = try await recorder.read().trailers
      #expect(trailers.contains("has not read what it was sent"), "\(trailers)")
    }
  }

  private func allowing<Result>(
    _ body: (TestServer) async throws -> Result
  ) async throws -> Result {
    try await TestServer.run({ $0.allowsRecording = true }, body)
  }

  private func record(
    _ server: TestServer, wait: Duration? = nil
  ) async throws -> RecordingStream {
    try await server.steering(as: "archive").record(Self.name, wait: wait)
  }

  /// Returns a recorder that already waits and reads nothing.
  private func stubbornRecorder(of server: TestServer) async throws -> StubbornClient {
    let request: [UInt8] = try Anechoic_V1_RecordSessionRequest.with { $0.name = Self.name }
      .serializedBytes()
    let recorder = try StubbornClient(server, Self.method)
    try recorder.send([request], halfClosing: true)
    try await recorder.waitForData()
    return recorder
  }

  private func untilNobodyRecords(_ server: TestServer) async throws -> RecordingStream {
    let limit = ContinuousClock.now + .seconds(5)
    while true {
      do {
        return try await record(server)
      } catch let status as Status where status.code == .alreadyExists {
        try #require(ContinuousClock.now < limit)
      }
    }
  }

  private func expectRefusal(
    of request: Anechoic_V1_RecordSessionRequest, field: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await allowing { server in
      let stream = try await server.channel.serverStreaming(
        Self.method, request.serializedBytes())
      let refusal = try await refusal { _ = try await stream.receive() }
      try #require(refusal).expect(
        .invalidArgument, field: field, sourceLocation: sourceLocation)
    }
  }
}
