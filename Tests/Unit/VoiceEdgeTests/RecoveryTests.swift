import AnechoicAPI
import EdgeAudio
import Foundation
import ScriptedDevices
import Testing
import TestTime
import VoiceClient

@testable import VoiceEdge

/// Every fault of a device, after which the agent continues.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct RecoveryTests {
  private func isHeard(_ rig: AgentRig) async throws {
    try await rig.running()
    let (played, latest) = (rig.loudspeaker.played.count, rig.status.concealedFrames)
    try await eventually("the loudspeaker goes on") { rig.loudspeaker.played.count > played + 800 }
    try await eventually("the microphone goes on") {
      rig.status.concealedFrames == latest || rig.agent.devices.microphone.record.value.isRunning
    }
  }

  @Test func afterAnOverrunTheDeviceIsPreparedAgain() async throws {
    try await AgentRig.run { rig in
      try await rig.running()
      let (xruns, opened) = (
        rig.agent.devices.microphone.record.value.xruns, rig.microphone.openCount
      )
      rig.microphone.overrun()
      try await eventually("counted") { rig.agent.devices.microphone.record.value.xruns > xruns }
      rig.loudspeaker.overrun()
      try await eventually("counted") { rig.agent.devices.loudspeaker.record.value.xruns > 0 }
      try await isHeard(rig)
      #expect(rig.microphone.openCount == opened)
    }
  }

  @Test func uselessWakeUpsDoNotUseAProcessor() async throws {
    try await AgentRig.run { rig in
      try await rig.running()
      let devices = [rig.microphone, rig.loudspeaker]
      for device in devices { device.wakeForNothing() }
      // The counts are read within the measured time, however late this thread is.
      let start = ContinuousClock.now
      let before = devices.map(\.waitCount)
      try await realTime(.seconds(1))
      let waits = zip(devices, before).map { $0.waitCount - $1 }
      // Each thread waits at most twice in a millisecond.
      let most = Int((ContinuousClock.now - start) / .milliseconds(1)) * 2 + 200
      #expect(waits.allSatisfy { $0 < most }, "\(waits), at most \(most)")
      try await isHeard(rig)
    }
  }

  @Test func afterALoudspeakerStoodStillNothingOldIsPlayed() async throws {
    try await AgentRig.run { rig in
      try await rig.running()
      rig.loudspeaker.stall(true)
      try await realTime(.seconds(1))
      rig.loudspeaker.stall(false)
      try await isHeard(rig)
      try await rig.plays(.seconds(2))
      // Samples that waited too long would be skipped.
      #expect(try await rig.edgeStatus().flow.playbackSamplesSkipped < 1600)
    }
  }

  @Test func aSuspendedDeviceIsResumed() async throws {
    try await AgentRig.run { rig in
      try await rig.running()
      let opened = rig.microphone.openCount
      rig.microphone.suspend(for: .milliseconds(300))
      rig.loudspeaker.suspend(for: .milliseconds(300))
      let concealed = rig.status.concealedFrames
      try await eventually("silence in its place") { rig.status.concealedFrames > concealed }
      try await isHeard(rig)
      #expect(rig.microphone.openCount == opened)
    }
  }

  @Test func aLostDeviceIsOpenedAgain() async throws {
    try await AgentRig.run { rig in
      try await rig.running()
      let opened = rig.microphone.openCount
      rig.microphone.lose()
      rig.loudspeaker.lose()
      try await eventually("opened anew") {
        rig.microphone.openCount > opened && rig.loudspeaker.openCount > 1
      }
      try await isHeard(rig)
      #expect(try await rig.edgeStatus().connected)
    }
  }

  @Test func theLossOfAMicrophoneIsTheSessionsGap() async throws {
    try await AgentRig.run { rig in
      try await rig.running()
      let events = try await EventLog(rig)
      defer { events.stop() }
      try await eventually("audio flows") { rig.status.latency.server > 0 }
      rig.microphone.unplug()
      try await eventually("concealed") { rig.status.concealedFrames > 20 }
      rig.microphone.plug()
      try await eventually("told") {
        events.all.contains {
          $0.discontinuity.reason == .deviceLost && $0.discontinuity.missingSamples > 3000
        }
      }
      #expect(events.all.filter { $0.discontinuity.reason == .deviceLost }.count <= 2)
    }
  }

  @Test(arguments: [DeviceError.Reason.absent, .busy, .denied, .failed])
  func aDeviceThatCannotBeOpenedIsTriedAgain(reason: DeviceError.Reason) async throws {
    try await AgentRig.run { rig in
      rig.microphone.refuse(reason)
      rig.microphone.lose()
      try await eventually("told") {
        if case .absent(let error) = rig.state(of: "microphone") {
          error.reason == reason
        } else {
          false
        }
      }
      // Changes are logged and attempts are not. The loss may have the same reason, so only the log
      // shows that the agent has tried to open the device.
      try await eventually("logged") { rig.log.all.contains { $0.contains("it is \(reason)") } }
      // The far end is heard nevertheless.
      let played = rig.loudspeaker.played.count
      try await eventually("the loudspeaker goes on") {
        rig.loudspeaker.played.count > played + 800
      }
      rig.microphone.refuse(nil)
      let freed = ContinuousClock.now
      try await rig.running()
      #expect(.now - freed < .seconds(2))
      #expect(rig.log.all.filter { $0.contains("it is \(reason)") }.count == 1)
    }
  }

  @Test func theAgentStartsWithoutAnyDevice() async throws {
    try await AgentRig.run { setup in
      setup.configuration.routes.ports[0].input = "elsewhere"
      setup.configuration.routes.ports[0].output = "nowhere"
    } _: { rig in
      try await eventually("told") {
        try await rig.edgeStatus().devices.allSatisfy { $0.state == .absent }
      }
      let status = try await rig.edgeStatus()
      #expect(status.connected)
      #expect(status.devices.map(\.device) == ["elsewhere", "nowhere"])
    }
  }

  @Test func aDeviceWithoutSamplesIsShownAsStalled() async throws {
    try await AgentRig.run { rig in
      try await rig.running()
      rig.microphone.stall(true)
      try await eventually("told") {
        if case .stalled = rig.state(of: "microphone") { true } else { false }
      }
      #expect(try await rig.edgeStatus().devices[0].state == .stalled)
      #expect(rig.log.contain("\"mic\" delivers no samples"))
      rig.microphone.stall(false)
      try await isHeard(rig)
      #expect(rig.microphone.openCount == 1)
    }
  }

  @Test func aDeviceOfTwoPeriodsIsEnough() async throws {
    try await AgentRig.run { setup in
      setup.configuration.audio.periods = 2
    } _: { rig in
      try await isHeard(rig)
      guard case .running(let format) = rig.state(of: "loudspeaker") else { return }
      #expect(format.bufferSamples == 2 * format.periodSamples)
    }
  }
}
