import AnechoicAPI
import AudioCore
import EdgeRig
import Foundation
import SoundRig
import SwiftProtobuf
import TestAudio
import Testing

/// The agent and the server as a user runs them, with ALSA devices in a simulated room.
@Suite(
  .serialized, .timeLimit(.minutes(3)),
  .enabled(if: SoundRig.missingTools.isEmpty, "the rig's programs are not installed"))
struct EdgeRigTests {
  private static let rate = 48000

  @Test func theFarEndIsHeardInTheRoomAndNotInTheVoice() async throws {
    let call = try await Call()
    let microphone = try call.rig.record(from: "micbus.monitor")
    call.edge.farEnd.play(
      Signals.babble(12 * Self.rate, rate: .hz48000), isRepeated: true)
    // On a busy machine, the rig's room loses its position for about a second, and so does the
    // canceller.
    let found = try await eventually(within: .seconds(60)) {
      let echo = Loudness.median(microphone.samples)
      return echo > -45 && Loudness.median(call.edge.voice.samples) < echo - 25
    }
    #expect(
      found,
      "\(Loudness.median(microphone.samples)) \(Loudness.median(call.edge.voice.samples)) dBFS")
  }

  private func eventually(
    within limit: Duration, _ condition: () -> Bool
  ) async throws -> Bool {
    let end = ContinuousClock.now + limit
    while !condition() {
      guard ContinuousClock.now < end else { return false }
      try await Task.sleep(for: .milliseconds(500))
    }
    return true
  }

  @Test func theVoiceInTheRoomComesOut() async throws {
    let call = try await Call()
    call.room.say(Signals.vowels(5 * Self.rate, rate: .hz48000))
    try await Task.sleep(for: .seconds(5))
    let status = try await call.edge.status()
    #expect(Loudness.level(call.edge.voice.samples.suffix(2 * Self.rate)) > -40)
    #expect(status.latency.totalMs < 60)
    #expect(status.latency.captureMs >= 10)
  }

  @Test func theChirpIsHeardAfterTheRoomsDelay() async throws {
    let call = try await Call()
    let result = try await call.edge.testAudio()
    #expect(result.heard)
    #expect((20...400).contains(result.roundTripMs))
    #expect((0...20).contains(result.echoReturnLossDb))
  }

  @Test(arguments: Fault.allCases)
  func soundIsBackSoonAfterAFault(_ fault: Fault) async throws {
    let call = try await Call()
    let before = try await call.edge.status()
    try await fault.strike(call)
    let took = await call.edge.wait { $0.runs }
    // A busy machine may take longer than the one or two seconds that scripts/bench edge requires.
    #expect(try #require(took) < .seconds(5))
    if fault.losesCapture {
      let told = await call.edge.wait { $0.flow.gapSamples > before.flow.gapSamples }
      #expect(told != nil)
    }
    try await call.expectVoice()
  }

  @Test func theMixersSwitchHoldsTheMute() async throws {
    let call = try await Call()
    try call.rig.setMute(source: "micbus.monitor", true)
    #expect(await call.edge.wait { $0.muteHolders == [.hardware] } != nil)
    try call.rig.setMute(source: "micbus.monitor", false)
    #expect(await call.edge.wait { !$0.muted } != nil)
  }

  @Test func aMicrophoneThatIsNotNeededIsNotRecorded() async throws {
    let call = try await Call(
      configuration: """
        microphone: {open: when-needed}
        session: {config: {mute: {muted_talker_detection_disabled: true}}}
        """)
    #expect(try call.recorded == ["micbus.monitor"])
    for _ in 0..<2 {
      try await call.edge.setMute(true)
      #expect(await call.edge.wait { $0.microphoneUse == .closedWhileMuted } != nil)
      #expect(await call.edge.wait { !$0.microphoneIsOpen } != nil)
      // Long enough for the agent to look for its devices again.
      for _ in 0..<15 {
        #expect(try call.recorded == [])
        try await Task.sleep(for: .milliseconds(100))
      }
      try await call.edge.setMute(false)
      #expect(await call.edge.wait { $0.runs } != nil)
      #expect(try call.recorded == ["micbus.monitor"])
    }
    try await call.expectVoice()
  }
}

/// A running call.
final class Call {
  let rig: SoundRig
  private(set) var room: RoomSimulator
  let edge: RunningEdge

  /// The sources that the agent records.
  var recorded: [String] {
    get throws { try rig.sources(recordedBy: edge.agentIdentifier) }
  }

  /// Starts a call. `configuration` is the text of the agent's configuration file.
  init(
    rig: SoundRig? = nil, configuration: String? = nil, arguments: [String] = []
  ) async throws {
    self.rig = try rig ?? SoundRig()
    let rig = self.rig
    room = try RoomSimulator(rig)
    edge = try RunningEdge(
      rig, products: products, arguments: arguments, configuration: configuration)
    let took = await edge.wait { $0.runs }
    try #require(took != nil, "\(edge.agentLog)")
  }

  deinit {
    edge.stop()
    room.stop()
    rig.stop()
  }

  /// Replaces the simulated room, because the old one moved to another bus when the microphone's
  /// bus was lost.
  func renewRoom() throws {
    room.stop()
    room = try RoomSimulator(rig)
  }

  /// Expects that speech in the room appears in the voice within a few seconds.
  func expectVoice() async throws {
    room.say(Signals.vowels(6 * 48000, rate: .hz48000))
    let limit = ContinuousClock.now + .seconds(8)
    while Loudness.level(edge.voice.samples.suffix(24000)) < -45 {
      try #require(ContinuousClock.now < limit, "no voice; \(edge.agentLog)")
      try await Task.sleep(for: .milliseconds(100))
    }
  }
}

/// A fault of the devices or of the server.
enum Fault: CaseIterable {
  case daemonStandsStill, daemonKilled, microphoneUnloaded, loudspeakerSuspended, serverKilled

  var losesCapture: Bool {
    switch self {
    case .daemonStandsStill, .daemonKilled, .microphoneUnloaded: true
    case .loudspeakerSuspended, .serverKilled: false
    }
  }

  /// Causes the fault. Returns when its cause has ended.
  func strike(_ call: Call) async throws {
    switch self {
    case .daemonStandsStill:
      call.rig.suspendDaemon()
      try await Task.sleep(for: .seconds(1))
      call.rig.resumeDaemon()
    case .daemonKilled:
      call.rig.killDaemon()
      try await Task.sleep(for: .seconds(1))
      try call.rig.restartDaemon()
    case .microphoneUnloaded:
      try call.rig.unload("micbus")
      #expect(await call.edge.wait { $0.route.isEmpty } != nil)
      try call.rig.load("micbus")
      try call.renewRoom()
    case .loudspeakerSuspended:
      try call.rig.suspend(sink: "spk")
      try await Task.sleep(for: .seconds(1))
      try call.rig.wake(sink: "spk")
    case .serverKilled:
      call.edge.killServer()
      #expect(await call.edge.wait { !$0.connected } != nil)
      call.edge.startServer()
    }
  }
}

/// The folder of the built executables. The tests are in the same folder.
let products: URL = {
  let own = Bundle.main.executablePath ?? CommandLine.arguments.first ?? ""
  return URL(filePath: own).resolvingSymlinksInPath().deletingLastPathComponent()
}()
