import AudioCore
import ScriptedDevices
import Synchronization
import Testing
import TestTime

@testable import VoiceEdge

@Suite(.timeLimit(.minutes(1)))
struct ProgramInputTests {
  @Test func whatADeviceDeliversWhileItIsHeldIsNeverHeard() async throws {
    let machine = ScriptedMachine()
    let isLoud = Atomic(true)
    machine.addMicrophone("music") { _ in isLoud.load(ordering: .relaxed) ? 0.5 : 0 }
    let input = ProgramInput(
      .alsa("music"), title: "other-audio", rate: .hz16000, channelCount: 1,
      EdgeDevices(system: machine, log: { _ in }))
    defer {
      input.stop()
      input.join()
    }
    let frame = Frame(rate: .hz16000, channelCount: 1)
    try await eventually("it is heard") { input.next(into: frame) && frame.peak > 0.4 }
    try await remains("held", for: .milliseconds(200)) {
      input.hold()
      return true
    }
    isLoud.store(false, ordering: .relaxed)
    try await remains("held", for: .milliseconds(200)) {
      input.hold()
      return true
    }
    var (count, peak) = (0, Float(0))
    try await eventually("it goes on") {
      if input.next(into: frame) { count += 1 }
      peak = max(peak, frame.peak)
      return count >= 10
    }
    #expect(peak < 0.01)
  }
}
