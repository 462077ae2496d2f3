import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import TestAudio
import Testing

/// The reports of clients about the playback.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct PlaybackReportTests {
  private static let client = EchoClient(seconds: 6)
  private static let requests = client.playbackRequests

  @Test func aReportOfWhatWasNotSentIsRefusedByItsField() async throws {
    try await TestServer.run { server in
      try await Bystander.watching(server) {
        for sample in [-1, .min, .max, 10 * 320, 10 * 320 + 1] as [Int64] {
          let recording = try await server.exchange(
            EchoClient.playbackStart, Self.requests.prefix(10) + [.report(sample)])
          let status = try #require(recording.status, "\(sample)")
          try status.expect(.invalidArgument, field: "playback_report.first_sample")
        }
        for sample in [0, 1] as [Int64] {
          let recording = try await server.exchange(
            EchoClient.playbackStart, [.report(sample)] + Self.requests.prefix(10))
          let status = try #require(recording.status, "\(sample)")
          try status.expect(.invalidArgument, field: "playback_report.first_sample")
        }
      }
      try await server.sessionsActive(become: 0)
    }
  }

  @Test func aReportWithoutPlaybackIsRefused() async throws {
    try await TestServer.run { server in
      let requests = Self.client.requests().prefix(10) + [.report(0)]
      let status = try #require(
        try await server.exchange(EchoClient.start, Array(requests)).status)
      try status.expect(.invalidArgument, field: "playback_report")
    }
  }

  @Test func reportsOfAnyTimesBlockNothing() async throws {
    let requests = Self.requests.enumerated().flatMap {
      index, request -> [Anechoic_V1_ProcessRequest] in
      let sample = Int64(index * 7919 % (index + 1)) * 320
      let time = Int64(truncatingIfNeeded: UInt64(index) &* 0x9E37_79B9_7F4A_7C15)
      return [
        request, .report(sample, at: time, silence: .max), .report(sample, at: .min),
        .report(sample, at: .max, silence: UInt32(index)), .report(0),
      ]
    }
    let recording = try await TestServer.run { server in
      try await server.exchange(EchoClient.playbackStart, requests)
    }
    let (status, end) = (recording.status, recording.endReason)
    #expect(status == nil && end == .clientClosed)
    #expect(recording.processed.count == Self.client.microphoneBytes)
    let hasWarned = recording.hasWarned(of: .unsteadyClocks)
    #expect(hasWarned)
    #expect(Self.client.reduction(recording, from: 4) > 20)
  }
}
