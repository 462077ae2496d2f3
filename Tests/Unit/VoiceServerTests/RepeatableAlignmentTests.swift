import AcousticSimulator
import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import SwiftProtobuf
import TestAudio
import Testing

/// Under the media clock, the same requests produce the same responses, whenever they are sent.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct RepeatableAlignmentTests {
  struct Script: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let start: Anechoic_V1_Start
    let requests: [Anechoic_V1_ProcessRequest]
  }

  private static let client = EchoClient(seconds: 5) {
    $0.jumps = [(3, 0.1)]
    $0.driftPPM = 200
  }

  private static let scripts = [
    Script(
      testDescription: "a reference that is late by 200 ms", start: EchoClient.start,
      requests: (0..<client.chunkCount + 10).map { index in
        .with {
          if index < client.chunkCount { $0.audio.microphone = client.microphone(index) }
          if index >= 10 { $0.audio.reference = client.reference(index - 10) }
        }
      }),
    Script(
      testDescription: "a reference in bursts of 320 ms, with times", start: EchoClient.start,
      requests: client.inBursts(of: 16)),
    Script(
      testDescription: "playback with reports", start: EchoClient.playbackStart,
      requests: client.playbackRequests.enumerated().flatMap {
        index, request -> [Anechoic_V1_ProcessRequest] in
        let sample = Int64((index - 20) * 320)
        guard index % 5 == 0, sample >= 0 else { return [request] }
        let time = client.scene.playbackTime(ofReference: Double(sample) / 16000)
        return [
          request,
          .report(sample, at: time.nanoseconds, silence: index == 150 ? 1600 : 0),
        ]
      }),
  ]

  @Test(arguments: scripts)
  func pausesBetweenRequestsChangeNothing(script: Script) async throws {
    let (atOnce, paused) = try await TestServer.run { server in
      (
        try await server.exchange(script.start, script.requests),
        try await server.exchange(script.start, script.requests) {
          $0 % 25 == 7 ? .milliseconds($0 % 20) : nil
        }
      )
    }
    #expect(atOnce.status == nil && atOnce.processed.count == Self.client.microphoneBytes)
    // Without an echo path, there would be nothing to compare.
    #expect(atOnce.events.contains { $0.echoPathChanged.hasDelay })
    #expect(atOnce.statistics.contains { $0.echo.hasDelay })
    expectSame(paused, atOnce)
  }

  private func expectSame(_ first: Recording, _ second: Recording) {
    let isSame = first.processed == second.processed && first.playback == second.playback
    #expect(isSame && first.frames == second.frames && first.status == second.status)
    #expect(first.events.map(\.withoutTime) == second.events.map(\.withoutTime))
    #expect(first.statistics.map(\.withoutTimes) == second.statistics.map(\.withoutTimes))
  }
}

extension EchoClient {
  /// Returns the microphone in steady chunks with times, and the reference in bursts of `count`
  /// chunks.
  fileprivate func inBursts(of count: Int) -> [Anechoic_V1_ProcessRequest] {
    (0..<chunkCount).flatMap { index -> [Anechoic_V1_ProcessRequest] in
      var microphone = microphone(index)
      microphone.deviceTimeNs = scene.captureTime(at: Double(index) / 50).nanoseconds
      let captured = Anechoic_V1_ProcessRequest.with { $0.audio.microphone = microphone }
      guard index % count == count - 1 || index == chunkCount - 1 else { return [captured] }
      return (index / count * count...index).map { index in
        var played = reference(index)
        played.deviceTimeNs = scene.playbackTime(ofReference: Double(index) / 50).nanoseconds
        return .with { $0.audio.reference = played }
      } + [captured]
    }
  }
}

extension Anechoic_V1_SessionEvent {
  fileprivate var withoutTime: Self {
    var event = self
    event.clearTime()
    return event
  }
}

extension Anechoic_V1_SessionStats {
  fileprivate var withoutTimes: Self {
    var stats = self
    stats.timing.clearFrameProcessingP50()
    stats.timing.clearFrameProcessingP99()
    stats.timing.clearJitter()
    stats.timing.clearInputLag()
    stats.timing.clearOutputBacklog()
    stats.flow.microphoneSamplesLate = 0
    return stats
  }
}
