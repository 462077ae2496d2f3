import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import ScriptedDevices
import SwiftProtobuf
import Synchronization
import Testing
import TestTime
import VoiceClient

@testable import VoiceEdge

/// A server that goes away and returns.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct ServerAwayTests {
  @Test func theLocalVoiceContinuesAndTheServerIsBackWithinASecond() async throws {
    try await AgentRig.run { setup in
      setup.configuration.programs.voice = .fifo(path: setup.folder.path("voice"))
    } _: { rig in
      let tap = FIFOTap(rig.folder.path("voice"))
      defer { tap.stop() }
      try await eventually("recorded") { tap.count > 1600 }
      let opened = (rig.microphone.openCount, rig.loudspeaker.openCount)
      await rig.stopServer()
      try await eventually("away") { !rig.status.isConnected }
      tap.clear()
      try await eventually("local voice") { tap.count > 8000 }
      #expect(tap.samples.suffix(4000).contains { $0 != 0 })
      let away = try await rig.edgeStatus()
      #expect(!away.connected && !away.problem.isEmpty && away.session == "sessions/edge")
      try rig.startServer()
      let returned = ContinuousClock.now
      try await rig.connected()
      // The promise is one second. The rest is for a busy machine.
      #expect(.now - returned < .milliseconds(1500))
      let back = try await rig.edgeStatus()
      #expect(back.hasLastGap && back.flow.sessions == 2)
      #expect(rig.microphone.openCount == opened.0 && rig.loudspeaker.openCount == opened.1)
      let labels = try await rig.remote.get(back.session).labels
      #expect(Int(labels["gap-before-ms"] ?? "").map { $0 > 100 } == true, "\(labels)")
      #expect(rig.log.contain("was away for"))
      tap.clear()
      try await eventually("recorded again") { tap.count > 1600 }
    }
  }

  @Test func theAgentStartsWithoutAServer() async throws {
    try await AgentRig.run {
      $0.hasServer = false
    } _: { rig in
      try await rig.running()
      #expect(try await !rig.edgeStatus().connected)
      try rig.startServer()
      try await rig.connected()
      #expect(try await rig.edgeStatus().session == "sessions/edge")
    }
  }

  @Test func muteWorksWhileTheServerIsAwayAndIsItsOwnThen() async throws {
    try await AgentRig.run {
      $0.hasServer = false
    } _: { rig in
      let state = try await rig.local.setMute("sessions/edge", muted: true).state
      #expect(state.muted && state.actor == "agent")
      #expect(try await rig.edgeStatus().muted)
      let session = try await rig.local.get("sessions/edge")
      #expect(session.mute.muted && abs(session.createTime.date.timeIntervalSinceNow) < 60)
      #expect(try await rig.local.list().map(\.name) == ["sessions/edge"])
      try rig.startServer()
      try await rig.connected()
      #expect(try await rig.remote.get("sessions/edge").mute.muted)
      #expect(try await rig.edgeStatus().muted)
    }
  }

  @Test func callsThatNeedTheServerAreUnavailableWithoutIt() async throws {
    try await AgentRig.run {
      $0.hasServer = false
    } _: { rig in
      let codes = await [
        code { try await rig.local.delete("sessions/edge") },
        code { _ = try await rig.local.watch("sessions/edge").receive() },
        code { _ = try await rig.local.update(.init(), mask: ["config"]) },
      ]
      #expect(codes == [.unavailable, .unavailable, .unavailable])
    }
  }

  @Test func aSessionThatSomebodyEndsIsFollowedByAnother() async throws {
    try await AgentRig.run { rig in
      try await rig.remote.delete(rig.status.session)
      try await eventually("another") { rig.status.sessionCount == 2 && rig.status.isConnected }
    }
  }

  @Test func callsOfTheMachineEndWithASessionThatItEnds() async throws {
    try await AgentRig.run { rig in
      let watch = try await rig.local.watch("sessions/edge")
      _ = try await watch.receive()
      try await rig.local.delete("sessions/edge")
      #expect(await code { while try await watch.receive() != nil {} } == .ok)
    }
  }

  private static let longID = String(repeating: "e", count: 63)

  @Test(arguments: [("edge", "edge-2"), (Self.longID, "\(Self.longID.dropLast(2))-2")])
  func aNameThatIsTakenIsGivenANumberWhichNobodyHereHasToKnow(
    id: String, numbered: String
  ) async throws {
    let other = Mutex<ProcessStream?>(nil)
    try await AgentRig.run { setup in
      setup.configuration.session.id = id
      setup.prepare = { rig in
        let client = VoiceProcessingClient(server: "unix:\(rig.folder.path("server"))")
        var start = Anechoic_V1_Start()
        start.sessionID = id
        start.inputs.microphone = VoiceFrames.format(.hz16000, 1)
        let stream = try await client.process(start)
        other.withLock { $0 = stream }
      }
    } _: { rig in
      #expect(rig.status.session == "sessions/\(numbered)")
      for name in ["sessions/\(id)", "sessions/\(numbered)", ""] {
        #expect(try await rig.local.get(name).name == "sessions/\(numbered)")
      }
      _ = try await rig.local.setMute("sessions/\(id)", muted: true)
      #expect(try await rig.remote.get("sessions/\(numbered)").mute.muted)
      #expect(try await !rig.remote.get("sessions/\(id)").mute.muted)
    }
    other.withLock { $0 }?.cancel()
  }
}

/// Returns the status code with which a call fails.
func code(_ body: () async throws -> Void) async -> StatusCode {
  do {
    try await body()
    return .ok
  } catch let status as Status {
    return status.code
  } catch {
    return .unknown
  }
}
