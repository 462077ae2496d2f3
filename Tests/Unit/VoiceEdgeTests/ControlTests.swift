import AnechoicAPI
import BundledEngines
import EdgeAudio
import Foundation
import GRPCTransport
import Glibc
import ScriptedDevices
import SwiftProtobuf
import Synchronization
import Testing
import TestTime
import VoiceEngines

@testable import VoiceEdge

/// The services that the agent offers on its socket.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct ControlTests {
  /// The loudspeaker's sound at the microphone of the same machine.
  private final class Room: Sendable {
    let loudspeaker = Mutex<ScriptedDevice?>(nil)
    let delay = 0.03
    let gain: Float = 0.1

    func sound(at time: Double) -> Float {
      gain * (loudspeaker.withLock { $0 }?.sound(at: time - delay) ?? 0)
    }
  }

  @Test func theTestHearsTheLoudspeakerAtTheMicrophone() async throws {
    let room = Room()
    try await AgentRig.run { setup in
      setup.microphone = room.sound
    } _: { rig in
      room.loudspeaker.withLock { $0 = rig.loudspeaker }
      try await rig.running()
      // The delay-locked loops of both devices must settle first.
      try await eventually("sound") { rig.loudspeaker.played.count > 32_000 }
      var result = try await test(rig)
      // A machine that stands still for some milliseconds tears the chirp, but not three times in a row.
      for _ in 0..<2 where !result.heard { result = try await test(rig) }
      #expect(result.heard && abs(result.echoReturnLossDb - 20) < 2, "\(result)")
      #expect(abs(result.levelDbfs + 35) < 2 && result.noiseDbfs < -60, "\(result)")
      #expect(abs(result.roundTripMs - 30) < 12, "\(result)")
      // The microphone is withheld only during the test.
      let frames = rig.status.sessionCount
      #expect(frames == 1 && rig.status.isConnected)
    }
  }

  @Test func aChirpThatIsNotHeardIsReported() async throws {
    try await AgentRig.run {
      $0.microphone = { _ in 0 }
    } _: { rig in
      try await rig.running()
      let result = try await test(rig)
      #expect(!result.heard && !result.hasRoundTripMs && !result.hasEchoReturnLossDb)
    }
  }

  @Test func thereIsOneTestAtATime() async throws {
    try await AgentRig.run { rig in
      try await rig.running()
      async let one = code { _ = try await test(rig) }
      async let other = code { _ = try await test(rig) }
      let codes = await [one, other]
      #expect(codes.contains(.ok) && codes.contains(.aborted), "\(codes)")
    }
  }

  @Test func aTestNeedsBothDevices() async throws {
    try await AgentRig.run { rig in
      try await rig.running()
      rig.loudspeaker.refuse(.busy)
      rig.loudspeaker.lose()
      try await eventually("gone") { !rig.agent.devices.loudspeaker.record.value.isRunning }
      let result = await code { _ = try await test(rig) }
      #expect(result == .failedPrecondition)
    }
  }

  @Test func aMicrophoneThatIsLostDuringATestIsReported() async throws {
    try await AgentRig.run { rig in
      try await rig.running()
      async let result = code { _ = try await test(rig) }
      rig.microphone.unplug()
      let told = await result
      // Some of the speech may have been heard, or none.
      #expect([.ok, .unavailable, .failedPrecondition].contains(told), "\(told)")
      rig.microphone.plug()
      try await rig.running()
    }
  }

  @Test func aWatcherGetsTheStatusAndItsChanges() async throws {
    try await AgentRig.run { rig in
      let watch = try await Channel(target: "unix:\(rig.folder.path("agent"))").serverStreaming(
        Method(service: RPC.edge, name: RPC.watchEdgeStatus),
        Anechoic_V1_WatchEdgeStatusRequest().serializedBytes())
      defer { watch.cancel() }
      rig.mixer.turn(on: false)
      var isMuted = false
      while !isMuted, let bytes = try await watch.receive() {
        isMuted = try Anechoic_V1_WatchEdgeStatusResponse(serializedBytes: bytes).status.muted
      }
      #expect(isMuted)
    }
  }

  @Test func aSecondAgentOnTheSameSocketIsRefused() async throws {
    try await AgentRig.run { rig in
      var configuration = EdgeConfiguration()
      configuration.controlSocket = rig.folder.path("agent")
      configuration.server.address = "unix:\(rig.folder.path("server"))"
      let second = EdgeAgent(
        configuration, system: ScriptedMachine(), engines: .bundled,
        log: { _ in })
      await #expect(
        throws: EdgeError(
          "control socket \(rig.folder.path("agent")): another agent uses it")
      ) {
        try await second.run()
      }
      let status = try await rig.edgeStatus()
      #expect(status.connected)
    }
  }

  @Test func anEngineThatTheServerDoesNotHaveEndsTheAgent() async throws {
    try await AgentRig.run { rig in
      var configuration = EdgeConfiguration()
      configuration.controlSocket = rig.folder.path("second")
      configuration.server.address = "unix:\(rig.folder.path("server"))"
      configuration.session.id = "second"
      configuration.session.engine = "silence"
      let second = EdgeAgent(
        configuration, system: ScriptedMachine(), engines: .bundled,
        log: { _ in })
      let failure = await #expect(throws: EdgeError.self) { try await second.run() }
      #expect(
        failure?.description.contains("start.engine: \"silence\" is not an engine") == true,
        "\(String(describing: failure))")
    }
  }

  @Test func theSocketOfADeadAgentIsTakenOver() async throws {
    try await AgentRig.run { setup in
      leaveSocket(setup.folder.path("agent"))
    } _: { rig in
      let status = try await rig.edgeStatus()
      #expect(status.connected)
    }
  }

  @Test func garbageIsRefused() async throws {
    try await AgentRig.run { rig in
      let channel = Channel(target: "unix:\(rig.folder.path("agent"))")
      for (service, name) in [(RPC.edge, RPC.chooseRoute), (RPC.sessions, RPC.setMute)] {
        let result = await code {
          _ = try await channel.unary(
            Method(service: service, name: name), [0xFF, 0xFF, 0xFF], timeout: .seconds(5))
        }
        #expect(result == .invalidArgument)
      }
    }
  }

  private func test(_ rig: AgentRig) async throws -> Anechoic_V1_TestAudioResponse {
    try await rig.ask(RPC.testAudio, Anechoic_V1_TestAudioRequest())
  }
}

/// Leaves a socket on which nobody listens.
private func leaveSocket(_ path: String) {
  let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(descriptor) }
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
  let result = withUnsafePointer(to: address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
  #expect(result == 0)
}
