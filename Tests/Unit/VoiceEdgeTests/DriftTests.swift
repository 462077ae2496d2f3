import Foundation
import ScriptedDevices
import TestAudio
import Testing
import TestTime

@testable import VoiceEdge

/// A whole agent between two clocks. With `ANECHOIC_SOAK`, each test takes ten minutes and prints
/// its measurements.
@Suite(.serialized, .timeLimit(.minutes(25)))
struct DriftTests {
  private static let isSoak = ProcessInfo.processInfo.environment["ANECHOIC_SOAK"] != nil
  private static let pieces = isSoak ? 60 : 1

  @Test(arguments: isSoak ? [500.0, -500] : [500])
  func theLoudspeakersClockMayBeAnother(partsPerMillion: Double) async throws {
    try await AgentRig.runWithEcho { setup in
      setup.loudspeakerDrift = partsPerMillion
    } _: { rig, tap in
      let controls = rig.agent.devices.controls
      // This takes about 15 s, and longer where threads are late.
      try await eventually("the drift is found", within: .seconds(300)) {
        abs(controls.driftPPM + partsPerMillion) < 150
      }
      let (underruns, skipped) = (controls.underrunCount, controls.skippedSamples)
      var reductions: [Float] = []
      var levels: [Int] = []
      for _ in 0..<Self.pieces {
        tap.clear()
        try await rig.plays(.seconds(10))
        let echo = level(Array(rig.loudspeaker.played.suffix(160_000))) + Air.decibels
        reductions.append(echo - level(tap.samples))
        levels.append(controls.leastLevel)
        rig.loudspeaker.forgetOld()
      }
      if Self.isSoak {
        print(
          "\(partsPerMillion) ppm: found \(-controls.driftPPM), echo down by \(reductions.min() ?? 0) dB "
            + "at least, buffer \(levels.min() ?? 0) to \(levels.max() ?? 0) samples, "
            + "\(controls.underrunCount - underruns) underruns, "
            + "\(controls.skippedSamples - skipped) samples skipped")
      }
      // The rate includes up to 60 ppm that correct the level.
      #expect(abs(controls.driftPPM + partsPerMillion) < 200)
      #expect((levels.max() ?? 0) < 16 * 60)
      #expect((reductions.min() ?? 0) > 10, "\(reductions)")
    }
  }
}
