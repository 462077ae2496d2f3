import AnechoicAPI
import AudioCore
import Foundation
import SwiftProtobuf
import TestAudio
import Testing

/// The sample that scripts/generate sample makes, whose contents are known.
@Suite(
  .serialized, .timeLimit(.minutes(1)),
  .enabled(if: Sample.isThere, "scripts/generate sample makes it")
)
struct SampleTests {
  @Test func speechIsFoundWhereItIs() async throws {
    let sample = try Sample()
    let changes = try await TestServer.run { server in
      try await server.record(sample.start, sample.requests).voiceChanges
    }
    let nearEnd = try #require(sample.segments.near_end_only.first)
    let farEnd = try #require(sample.segments.far_end_only.first)
    let starts = changes.filter(\.active).map { Double($0.beganAtSample) / 16000 }
    #expect(starts.contains { abs($0 - nearEnd[0]) < 0.2 }, "\(starts)")
    #expect(!starts.contains { $0 < farEnd[1] }, "\(starts)")
    #expect(changes.allSatisfy { $0.side == .nearEnd })
    #expect(zip(changes, changes.dropFirst()).allSatisfy { $0.active != $1.active })
  }

  @Test func theEchoGoesWhereOnlyTheFarEndTalks() async throws {
    let sample = try Sample()
    let recording = try await TestServer.run { server in
      try await server.record(sample.start, sample.requests)
    }
    let farEnd = try #require(sample.segments.far_end_only.first)
    let delay = Int(recording.started.algorithmicDelay.nanos) / 62_500  // In samples.
    let range = Int((farEnd[0] + 3) * 16000)..<Int(farEnd[1] * 16000)
    let before = decode(sample.microphone, .s16)[0][range]
    let after = decode(recording.processed, .s16)[0][
      range.lowerBound + delay..<range.upperBound + delay]
    #expect(level(before) - level(after) >= 25, "\(level(before)) \(level(after))")
  }
}

private struct Sample {
  struct Segments: Decodable {
    let far_end_only: [[Double]]
    let near_end_only: [[Double]]
  }

  static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
    .appendingPathComponent("sample")
  static var isThere: Bool {
    ["microphone.wav", "reference.wav", "segments.json"].allSatisfy {
      FileManager.default.fileExists(atPath: folder.appendingPathComponent($0).path)
    }
  }

  let microphone: [UInt8]
  let reference: [UInt8]
  let segments: Segments

  init() throws {
    func samples(_ name: String) throws -> [UInt8] {
      Array(try Data(contentsOf: Self.folder.appendingPathComponent(name)).dropFirst(44))
    }
    microphone = try samples("microphone.wav")
    reference = try samples("reference.wav")
    segments = try JSONDecoder().decode(
      Segments.self,
      from: Data(contentsOf: Self.folder.appendingPathComponent("segments.json")))
  }

  var start: Anechoic_V1_Start {
    .mediaClock(reference: .s16).with { $0.config.voiceActivityDetection.enabled = true }
  }

  var requests: [Anechoic_V1_ProcessRequest] {
    Anechoic_V1_ProcessRequest.audio(
      microphone: microphone, .s16, reference: reference, .s16)
  }
}
