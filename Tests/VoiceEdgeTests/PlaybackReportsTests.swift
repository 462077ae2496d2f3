import AnechoicAPI
import Testing

@testable import VoiceEdge

struct PlaybackReportsTests {
  private static let ms: Int64 = 1_000_000

  private func note(
    _ frame: Int64, heardAt: Int64? = nil, epoch: Int = 1, silence: Int64 = 0
  ) -> PlayedNote {
    PlayedNote(
      heardAt: heardAt ?? 1_000_000_000 + frame * 10 * Self.ms, mixSample: frame * 480,
      epoch: epoch, silence: silence)
  }

  @Test func tenReportsASecondAreEnough() {
    var reports = PlaybackReports(samplesPerSecond: 48000)
    let told = (0..<100).compactMap { reports.report(note($0)) }
    #expect(told.map(\.firstSample) == (0..<10).map { $0 * 4800 })
    #expect(told.first?.deviceTimeNs == 1_000_000_000)
  }

  @Test func aSurpriseIsToldAtOnce() {
    var reports = PlaybackReports(samplesPerSecond: 48000)
    _ = reports.report(note(0))
    #expect(reports.report(note(1, heardAt: 1_012_000_000)) == nil)
    let report = reports.report(note(2, heardAt: 1_024_000_000))
    #expect(report?.firstSample == 960 && report?.deviceTimeNs == 1_024_000_000)
  }

  @Test func aSurpriseIsToldThreeTimesAndThenTenTimesASecond() {
    var reports = PlaybackReports(samplesPerSecond: 48000)
    _ = reports.report(note(0))
    let told = (1...20).filter {
      reports.report(note($0, heardAt: 1_050_000_000 + $0 * 10 * Self.ms)) != nil
    }
    #expect(told == [1, 2, 3, 13])
  }

  @Test func anotherRateIsToldAtOnceAndWithEachReport() {
    var reports = PlaybackReports(samplesPerSecond: 48000)
    let told = (0..<30).compactMap { frame -> Anechoic_V1_PlaybackReport? in
      var note = note(Int64(frame))
      note.rate = frame < 13 ? 0 : 250
      return reports.report(note)
    }
    #expect(told.map(\.firstSample) == [0, 10, 13, 23].map { $0 * 480 })
    #expect(told.map(\.ratePpm) == [0, 0, 250, 250])
  }

  @Test func silenceIsToldSinceTheLastReport() {
    var reports = PlaybackReports(samplesPerSecond: 48000)
    let first = reports.report(note(0, silence: 5000))
    #expect(first?.silenceSamples == 0)
    let second = reports.report(note(1, heardAt: 1_050_000_000, silence: 5480))
    #expect(second?.silenceSamples == 480)
  }

  @Test func anotherTimelineIsToldAtOnce() {
    var reports = PlaybackReports(samplesPerSecond: 48000)
    _ = reports.report(note(0))
    let report = reports.report(note(1, epoch: 2, silence: 480))
    #expect(report?.firstSample == 480 && report?.silenceSamples == 0)
  }

  @Test func silenceInItsPlaceIsNoPlaceInTheMix() {
    var reports = PlaybackReports(samplesPerSecond: 48000)
    #expect(reports.report(PlayedNote(heardAt: 1, mixSample: -1)) == nil)
  }
}
