import AnechoicAPI
import AudioCore
import SwiftProtobuf
import TestAudio
import Testing

@Suite(.serialized, .timeLimit(.minutes(1)))
struct StatisticsTests {
  private let microphone = AudioFormat.s16.babble(1000)

  @Test(arguments: [(100, 10), (250, 4), (1000, 1), (2000, 0), (0, 0)])
  func statisticsComeAtTheIntervalOfTheMediaClock(milliseconds: Int, count: Int) async throws {
    try await TestServer.run { server in
      let recording = try await server.record(
        .mediaClock().with {
          $0.statsInterval = .init(
            seconds: Int64(milliseconds / 1000), nanos: Int32(milliseconds % 1000 * 1_000_000))
        }, microphone: microphone)
      #expect(
        recording.statistics.map(\.flow.framesProcessed)
          == (0..<count).map { UInt64(($0 + 1) * milliseconds / 10) })
    }
  }

  @Test func unknownValuesAreAbsent() async throws {
    try await TestServer.run { server in
      let recording = try await server.record(
        .mediaClock().with { $0.statsInterval.nanos = 500_000_000 }, microphone: microphone)
      let stats = try #require(recording.statistics.last)
      #expect(!stats.echo.hasEchoReturnLossDb && !stats.echo.hasDelay && !stats.echo.converged)
      #expect(!stats.echo.hasEchoReturnLossEnhancementDb)
      #expect(!stats.timing.hasDriftPpm && !stats.timing.hasJitter)
      #expect(stats.timing.hasFrameProcessingP50 && stats.timing.frameProcessingP50.nanos > 0)
      #expect(stats.timing.frameProcessingP99.nanos >= stats.timing.frameProcessingP50.nanos)
      #expect(stats.activeMicMode == .standard)
      #expect(stats.levels.microphoneRmsDbfs < 0 && stats.levels.processedRmsDbfs < 0)
      #expect(stats.flow.samplesConcealed == 0 && stats.flow.outputChunksDropped == 0)
    }
  }

  @Test func gapsAreFilledReportedAndCounted() async throws {
    try await TestServer.run { server in
      let start = Anechoic_V1_Start.mediaClock().withoutInjection.with {
        $0.statsInterval.nanos = 100_000_000
      }
      let late = Anechoic_V1_ProcessRequest.microphone(Array(microphone.prefix(3200))).late(3200)
      let recording = try await server.record(
        start, [.microphone(Array(microphone.prefix(3200))), late])
      #expect(recording.processed.count == 3200 * 3)
      guard case .discontinuity(let gap) = recording.events.first?.event else {
        Issue.record("no Discontinuity in \(recording.events)")
        return
      }
      #expect(gap.input == .microphone && gap.reason == .xrun && gap.missingSamples == 1600)
      #expect(recording.statistics.last?.flow.samplesConcealed == 1600)
    }
  }

  @Test func realTimeHoldsBackASenderThatIsAhead() async throws {
    try await TestServer.run { server in
      let microphone = AudioFormat.s16.babble(3000)
      let began = ContinuousClock.now
      let recording = try await server.record(
        .mediaClock().with { $0.pacing = .realTime }, microphone: microphone)
      // 3 s, minus the 500 ms that a sender may be ahead, at five quarters of real time, and minus a
      // tolerance for the clock.
      #expect(ContinuousClock.now - began > .milliseconds(1850))
      #expect(recording.processed.count == microphone.count)
      let quick = try await server.record(.mediaClock(), microphone: microphone)
      #expect(quick.processed == recording.processed)
    }
  }
}

extension Anechoic_V1_ProcessRequest {
  /// Returns the same audio at a later sample, as after an overrun.
  fileprivate func late(_ firstSample: Int64) -> Self {
    var request = self
    request.audio.microphone.firstSample = firstSample
    request.audio.microphone.gapBefore = .xrun
    return request
  }
}
