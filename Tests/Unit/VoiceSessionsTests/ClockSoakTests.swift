import ClockSoak
import Foundation
import Testing
import VoiceSessions

/// Half an hour of media time on two clocks. `scripts/test soak` runs a day and more cases.
struct ClockSoakTests {
  @Test(arguments: [
    (ClockSoak.Reference.untimed, 300.0, 0.04), (.untimed, -300, 0), (.timed, 100, 0.4),
    (.reports, -300, 0.4),
  ])
  func theEchoStaysAwayHoweverLongTheClocksPart(
    reference: ClockSoak.Reference, ppm: Double, lag: Double
  ) throws {
    let isDay = ProcessInfo.processInfo.environment["ANECHOIC_SOAK"] == "24h"
    let soak = try ClockSoak(reference: reference, ppm: ppm, lag: lag)
    try soak.run(minutes: isDay ? 1440 : 30)
    #expect(soak.leastReduction > 30, "\(soak.minutes)")
    #expect(soak.memoryGrowth < 8)
    #expect(soak.statistics.flow.referenceFramesMissing < 20)
    #expect(soak.warnings.isEmpty, "\(soak.warnings)")
  }
}
