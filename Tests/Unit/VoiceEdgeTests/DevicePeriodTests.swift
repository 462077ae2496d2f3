import AudioCore
import EdgeAudio
import ScriptedDevices
import Synchronization
import Testing
import TestTime

@testable import VoiceEdge

/// Devices with long periods.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct DevicePeriodTests {
  @Test(arguments: [2, 5])
  func shortPeriodsAreInTime(frames: Int) async throws {
    try await AgentRig.run { setup in
      setup.prepare = { rig in
        rig.microphone.havePeriods(ofFrames: frames)
        rig.loudspeaker.havePeriods(ofFrames: frames)
      }
    } _: { rig in
      try await rig.running()
      try await rig.plays(.seconds(1))
      let before = rig.status.concealedFrames
      try await rig.plays(.seconds(2))
      // There are about 200 frames. A busy machine may be late once.
      #expect(rig.status.concealedFrames - before < 30)
    }
  }

  @Test func longPeriodsAreRefused() async throws {
    try await AgentRig.run { setup in
      setup.prepare = { $0.microphone.havePeriods(ofFrames: 6) }
    } _: { rig in
      try await eventually("refused") {
        if case .absent(let error) = rig.state(of: "microphone") { !error.mayPass } else { false }
      }
      let problem = "capture device \"mic\": its period is 60 ms; the maximum is 50 ms"
      #expect(rig.log.contain(problem))
      let errors = EdgeAgent.deviceErrors(rig.agent.configuration, system: rig.machine)
      #expect(
        errors.contains {
          $0.key == "routes.ports" && $0.description.hasSuffix(": \(problem)")
            && $0.error.reason == .unfit
        })
    }
  }

  @Test(arguments: [
    (SampleRate.hz48000, 2401, true), (.hz48000, 2400, false), (.hz8000, 441, true),
  ])
  func theLimitIsInTime(rate: SampleRate, samples: Int, isUnfit: Bool) {
    let format = DeviceFormat(
      rate: rate, channelCount: 1, periodSamples: samples, bufferSamples: 4 * samples, coding: "")
    #expect((format.unfitness != nil) == isUnfit)
  }

  @Test func devicesAreCheckedWithThePeriodsOfTheConfiguration() {
    let wishes = WishLog()
    var configuration = EdgeConfiguration()
    configuration.audio.periods = 7
    var port = EdgeConfiguration.Port(id: "a")
    port.input = "mic"
    configuration.routes.ports = [port]
    _ = EdgeAgent.deviceErrors(configuration, system: wishes)
    #expect(wishes.periodCounts == [7])
  }
}

/// Devices that cannot be opened. Records the requests.
private final class WishLog: AudioSystem {
  private let wishes = Mutex<[DeviceWish]>([])

  var periodCounts: [Int] { wishes.withLock { $0.map(\.periodCount) } }

  func open(
    _ name: String, _ direction: DeviceDirection, _ wish: DeviceWish
  ) throws(DeviceError) -> any PCMDevice {
    wishes.withLock { $0.append(wish) }
    throw DeviceError(.absent, name)
  }

  func openControl(_ name: String) throws(DeviceError) -> any DeviceControl {
    throw DeviceError(.absent, name)
  }

  func isPresent(_ name: String, mayCapture: Bool) -> Bool? { false }

  func devices() throws(DeviceError) -> [DeviceDescription] { [] }
}
