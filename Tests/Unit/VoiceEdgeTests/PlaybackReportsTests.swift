import AnechoicAPI
import Testing

@testable import VoiceEdge

struct PlaybackReportsTests {
  private static let ms: Int64 = 1_000_000

  private func record(
    _ frame: Int64, heardAt: Int64? = nil, epoch: Int = 1, added: Int64 = 0
  ) -> PlayedNote {
    let time = 1_000_000_000 + frame * 10 * Self.ms
    return PlayedNote(
      heardAt: heardAt ?? time, mixSample: frame * 480, epoch: epoch, added: added)
  }

  @Test func tenReportsASecondAreEnough() {
    var reports = PlaybackReports(samplesPerSecond: 48000)
    let told = (0..<100).compactMap { reports.report(record($0)) }
    #expect(told.map(\.firstSample) == (0..<10).map { $0 * 4800 })
    #expect(told.first?.deviceTimeNs == 1_000_000_000)
  }

  @Test func aSurpriseIsReportedAtOnce() {
    var reports = PlaybackReports(samplesPerSecond: 48000)
    _ = reports.report(record(0))
    #expect(reports.report(record(1, heardAt: 1_012_000_000)) == nil)
    let report = reports.report(record(2, heardAt: 1_024_000_000))
    #expect(report?.firstSample == 960 && report?.deviceTimeNs == 1_024_000_000)
  }

  @Test func aSurpriseIsReportedThreeTimesAndThenTenTimesASecond() {
    var reports = PlaybackReports(samplesPerSecond: 48000)
    _ = reports.report(record(0))
    let told = (1...20).filter {
      reports.report(record($0, heardAt: 1_050_000_000 + $0 * 10 * Self.ms)) != nil
    }
    #expect(told == [1, 2, 3, 13])
  }

  @Test func anotherRateIsReportedAtOnceAndWithEachReport() {
    var reports = PlaybackReports(samplesPerSecond: 48000)
    let told = (0..<30).compactMap { frame -> Anechoic_V1_PlaybackReport? in
      var note = record(Int64(frame))
      note.rate = frame < 13 ? 0 : 250
      return reports.report(note)
    }
    #expect(told.map(\.firstSample) == [0, 10, 13, 23].map { $0 * 480 })
    #expect(told.map(\.ratePpm) == [0, 0, 250, 250])
  }

  @Test(arguments: [480, -480] as [Int64])
  func silenceAndSkipsAreReportedOnce(added: Int64) {
    var reports = PlaybackReports(samplesPerSecond: 48000)
    let told = (0..<15).map(Int64.init).compactMap { frame -> Anechoic_V1_PlaybackReport? in
      // The reports before the first change do not matter.
      guard frame >= 5 else { return reports.report(record(frame, added: 5000)) }
      let time = 1_000_000_000 + frame * 10 * Self.ms + added * 1_000_000_000 / 48000
      return reports.report(record(frame, heardAt: time, added: 5000 + added))
    }
    #expect(told.map(\.firstSample) == [0, 5 * 480])
    #expect(told.map(\.silenceSamples) == [0, added > 0 ? 480 : 0])
    #expect(told.map(\.skippedSamples) == [0, added < 0 ? 480 : 0])
  }

  @Test func silenceThatTheTimesContradictIsNotTold() {
    var reports = PlaybackReports(samplesPerSecond: 48000)
    _ = reports.report(record(0))
    let told = (1...3).compactMap { reports.report(record($0, added: 960)) }
    #expect(told.count == 3 && told.allSatisfy { $0.silenceSamples == 0 })
  }

  @Test func anotherTimelineIsReportedAtOnce() {
    var reports = PlaybackReports(samplesPerSecond: 48000)
    _ = reports.report(record(0))
    let report = reports.report(record(1, epoch: 2, added: 480))
    #expect(report?.firstSample == 480 && report?.silenceSamples == 0)
  }

  @Test func silenceHasNoPositionInTheMix() {
    var reports = PlaybackReports(samplesPerSecond: 48000)
    #expect(reports.report(PlayedNote(heardAt: 1, mixSample: -1)) == nil)
  }
}
