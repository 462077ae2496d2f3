import Foundation
import SoundRig
import Testing

/// The faults of the rig, each with exactly its described effect.
@Suite(
  .serialized, .timeLimit(.minutes(2)),
  .enabled(if: SoundRig.missingTools.isEmpty, "the rig's programs are not installed"))
struct FaultTests {
  @Test func aMutedSourceGivesZerosUntilItIsNot() throws {
    let rig = try SoundRig()
    let playing = try rig.play(tone(seconds: 20), into: "micbus")
    defer { playing.stop() }
    try rig.setMute(source: "micbus.monitor", true)
    let muted = try rig.record(from: "micbus.monitor")
    #expect(muted.wait(forSamples: 24000))
    #expect(muted.stop().suffix(9600).allSatisfy { $0 == 0 })
    try rig.setMute(source: "micbus.monitor", false)
    let open = try rig.record(from: "micbus.monitor")
    #expect(open.wait(forSamples: 24000))
    #expect(open.stop().suffix(4800).contains { abs($0) > 0.4 })
  }

  @Test func aStoppedServerDeliversNothingUntilItContinues() throws {
    let rig = try SoundRig()
    let recording = try rig.record(from: "micbus.monitor")
    rig.suspendDaemon()
    usleep(200_000)
    let count = recording.samples.count
    usleep(300_000)
    #expect(recording.samples.count == count)
    rig.resumeDaemon()
    #expect(recording.wait(forSamples: count + 9600))
  }

  @Test func aKilledServerComesBackWithTheSameDevices() throws {
    let rig = try SoundRig()
    rig.killDaemon()
    #expect(throws: SoundRigError.self) { try rig.setMute(sink: "spk", true) }
    try rig.restartDaemon()
    let recording = try rig.record(from: "voicebus.monitor")
    #expect(recording.wait(forSamples: 4800))
  }

  @Test func aDeviceIsGoneAndComesBack() throws {
    let rig = try SoundRig()
    try rig.unload("micbus2")
    #expect(throws: SoundRigError.self) { try rig.setVolume(sink: "micbus2", percent: 50) }
    try rig.load("micbus2")
    try rig.setVolume(sink: "micbus2", percent: 50)
    let recording = try rig.record(from: "micbus2.monitor")
    #expect(recording.wait(forSamples: 4800))
  }

  @Test func aSuspendedSinkGivesNothingUntilItWakes() throws {
    let rig = try SoundRig()
    let recording = try rig.record(from: "spk.monitor")
    try rig.suspend(sink: "spk")
    usleep(200_000)
    let count = recording.samples.count
    usleep(300_000)
    #expect(recording.samples.count == count)
    try rig.wake(sink: "spk")
    #expect(recording.wait(forSamples: count + 4800))
  }
}
