import AnechoicAPI
import AudioCore
import EdgeRig
import Foundation
import SoundRig
import TestAudio
import Testing

/// The echo of another program, which plays to the sound server beside the agent.
@Suite(
  .serialized, .timeLimit(.minutes(3)),
  .enabled(if: SoundRig.missingTools.isEmpty, "the rig's programs are not installed"))
struct DesktopReferenceRigTests {
  private static let rate = 48000

  @Test func theEchoOfAnotherProgramIsCancelled() async throws {
    let call = try await Call(
      configuration: "audio: {reference: desktop}\n",
      arguments: ["--input", "vmic", "--output", "pulse:spk"])
    #expect(
      await call.edge.wait { status in
        status.devices.contains {
          $0.role == "loopback" && $0.device == "pulse:spk.monitor" && $0.state == .running
        }
      } != nil, "\(call.edge.agentLog)")
    let microphone = try call.rig.record(from: "micbus.monitor")
    let browser = try call.rig.play(
      Signals.babble(60 * Self.rate, rate: .hz48000), into: "spk", role: "video")
    defer { browser.stop() }
    // On a busy machine, the rig's room loses its position for about a second, and so does the canceller.
    let end = ContinuousClock.now + .seconds(50)
    var levels = (0.0, 0.0)
    while ContinuousClock.now < end, !(levels.0 > -45 && levels.1 < levels.0 - 25) {
      try await Task.sleep(for: .milliseconds(500))
      levels = (Loudness.median(microphone.samples), Loudness.median(call.edge.voice.samples))
    }
    #expect(levels.0 > -45 && levels.1 < levels.0 - 25, "\(levels) dBFS")
  }
}
