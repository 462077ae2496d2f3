import AnechoicAPI
import BundledEngines
import Foundation
import GRPCTransport
import SessionWire
import SpatialAudio
import SwiftProtobuf
import Testing
import TestTime
import VoiceClient
import VoiceEngines
import VoiceServer
import VoiceSessions

/// A session that was recorded while it ran: the output that its client received, and the file.
struct RecordedCall {
  static let id = "recorded"
  static let start = Anechoic_V1_Start.mediaClock().with { $0.sessionID = id }

  let heard: Recording
  let file: Data

  /// Records the session with this id while `body` runs it on the server.
  static func run(
    _ server: TestServer, _ body: () async throws -> Recording
  ) async throws -> RecordedCall {
    let stream = try await server.steering(as: "archive").record("sessions/\(id)")
    async let file = stream.whole()
    do {
      let heard = try await body()
      return try await RecordedCall(heard: heard, file: file)
    } catch {
      stream.cancel()
      throw error
    }
  }

  /// Does the same on a server of its own.
  static func run(
    by clock: TestClock? = nil, _ body: (TestServer) async throws -> Recording
  ) async throws -> RecordedCall {
    try await TestServer.run {
      $0.allowsRecording = true
      $0.clock = clock
    } _: { server in
      try await run(server) { try await body(server) }
    }
  }

  func replay(profiles: [String: MeasuredResponses] = [:]) throws -> Replay {
    try Replay(file, profiles: profiles)
  }

  /// Expects that a replay produces the same bytes and events as the client received.
  @discardableResult
  func expectSame(
    profiles: [String: MeasuredResponses] = [:], sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Replay {
    let replay = try replay(profiles: profiles)
    let outcome = try replay.outcome
    #expect(outcome.differsBy == nil && outcome.fault == nil, sourceLocation: sourceLocation)
    #expect(replay.processed == heard.processed, sourceLocation: sourceLocation)
    #expect(replay.playback == heard.playback, sourceLocation: sourceLocation)
    #expect(replay.recognizer == heard.recognizer, sourceLocation: sourceLocation)
    #expect(replay.raw == heard.raw, sourceLocation: sourceLocation)
    let events = heard.events.map { event in
      var event = event
      event.clearTime()
      return event
    }
    #expect(replay.events == events, sourceLocation: sourceLocation)
    return replay
  }
}

/// A replay of a recording, with all of its output.
final class Replay: SessionSink {
  private(set) var processed: [UInt8] = []
  private(set) var playback: [UInt8] = []
  private(set) var recognizer: [UInt8] = []
  private(set) var raw: [UInt8] = []
  private(set) var events: [Anechoic_V1_SessionEvent] = []
  private var result: SessionReplay.Outcome?

  init(
    _ file: Data, _ engines: EngineCatalog = .bundled,
    profiles: [String: MeasuredResponses] = [:]
  ) throws {
    result = try SessionReplay(file, engines: engines, profiles: profiles).run(sink: self)
  }

  var outcome: SessionReplay.Outcome {
    get throws { try #require(result) }
  }

  func emit(_ chunk: OutputChunk) {
    processed += chunk.processed.bytes
    if let samples = chunk.playback { playback += samples.bytes }
    if let samples = chunk.recognizer { recognizer += samples.bytes }
    if let samples = chunk.raw { raw += samples.bytes }
  }

  func emit(_ event: SessionEvent) {
    var message = Anechoic_V1_SessionEvent(event, time: .init())
    message.clearTime()
    events.append(message)
  }

  func emit(_ result: ControlResult) {}
  func emit(_ statistics: SessionStatistics) {}
}

extension RecordingStream {
  /// Returns the whole recording.
  func whole() async throws -> Data {
    var file = Data()
    while let bytes = try await receive() { file += bytes }
    return file
  }
}
