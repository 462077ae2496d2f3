import ScriptedDevices
import Testing
import TestTime

@testable import VoiceEdge

/// An agent on devices without a clock, such as ALSA's `null`.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct ClocklessDeviceTests {
  @Test func theAgentRunsInRealTimeAndEveryFrameOfTheFarEndIsTaken() async throws {
    try await AgentRig.run { setup in
      setup.configuration.programs.farEnd = .fifo(path: setup.folder.path("far"))
      setup.prepare = { rig in
        rig.microphone.haveNoClock()
        rig.loudspeaker.haveNoClock()
      }
    } _: { rig in
      let feed = FIFOFeed(rig.folder.path("far"), (0..<1600).map { Float($0) / 3200 })
      defer { feed.stop() }
      // At first the devices gain the lead that a device with a clock may have.
      try await eventually("the far end is taken") { feed.count > 6 * 16000 }
      let (before, start) = (feed.count, ContinuousClock.now)
      try await eventually("it is taken further") { feed.count > before + 6 * 16000 }
      let rate = Double(feed.count - before) / ((.now - start) / .seconds(1)) / 16000
      // The FIFO is written in pieces of 30 ms, and read in pieces of 40 ms.
      #expect(abs(rate - 1) < 0.02, "\(rate)")
      #expect(rig.status.latency.total < 200)
    }
  }
}
