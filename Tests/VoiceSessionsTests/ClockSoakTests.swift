import ClockSoak
import Foundation
import Testing
import VoiceSessions

/// Two hours of media time on two clocks. `scripts/soak-alignment` runs a day, and every case.
struct ClockSoakTests {
  @Test(arguments: [
    (ClockSoak.Reference.untimed, 300.0, 0.04), (.untimed, -300, 0), (.timed, 100, 0.4),
    (.reports, -100, 0.04),
  ])
  func theEchoStaysAwayHoweverLongTheClocksPart(
    reference: ClockSoak.Reference, ppm: Double, lag: Double
  ) throws {
    let isDay = ProcessInfo.processInfo.environment["ANECHOIC_SOAK"] == "24h"
    let soak = try ClockSoak(reference: reference, ppm: ppm, lag: lag)
    try soak.run(minutes: isDay ? 1440 : 120)
    #expect(soak.leastReduction > 30, "\(soak.minutes)")
    #expect(soak.warnings.isEmpty, "\(soak.warnings)")
    #expect(soak.memoryGrowth < 8)
    #expect(soak.statistics.flow.referenceFramesMissing < 20)
  }

  /// No clock does that, but the aligner is to follow it.
  @Test(arguments: [1000.0, -1000])
  func theLargestDriftIsFollowedForHalfAnHour(ppm: Double) throws {
    let soak = try ClockSoak(reference: .untimed, ppm: ppm, lag: 0.04)
    try soak.run(minutes: 30)
    #expect(soak.leastReduction > 25, "\(soak.minutes)")
  }
}
