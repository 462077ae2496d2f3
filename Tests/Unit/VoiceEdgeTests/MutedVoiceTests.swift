import AnechoicAPI
import Foundation
import GRPCTransport
import ScriptedSessions
import Testing
import TestTime
import VoiceClient

@testable import VoiceEdge

/// An agent that is muted, whatever its server answers: nothing is heard.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct MutedVoiceTests {
  private func run(
    _ body: (AgentRig, ScriptedSessions, FIFOTap) async throws -> Void
  ) async throws {
    let folder = try Folder()
    let server = try ScriptedSessions("unix:\(folder.path("scripted"))")
    try await AgentRig.run { setup in
      setup.hasServer = false
      setup.configuration.server.address = server.address
      setup.configuration.programs.voice = .fifo(path: setup.folder.path("voice"))
      setup.microphone = { _ in 0.25 }
      // The scripted server answers only what it is sent.
      setup.configuration.mute.audio = .sent
    } _: { rig in
      let tap = FIFOTap(rig.folder.path("voice"))
      defer { tap.stop() }
      try await rig.connected()
      try await processed(tap)
      try await body(rig, server, tap)
    }
    await server.stop()
  }

  private func processed(_ tap: FIFOTap) async throws {
    tap.clear()
    try await eventually("processed") { tap.samples.contains { $0 < -0.2 } }
  }

  /// Expects that soon nothing is heard, for this much of the sound at 16 kHz.
  private func expectSilence(_ tap: FIFOTap, for time: Duration) async throws {
    try await tap.becomesSilent()
    tap.clear()
    let count = Int(time / .seconds(1) * 16_000)
    try await eventually("it goes on") { tap.count >= count }
    #expect(tap.samples.allSatisfy { $0 == 0 })
  }

  private func mutes(_ server: ScriptedSessions) -> [Bool] { server.script { $0.mutes } }

  @Test(arguments: ["TOO_MANY_CONTROLS", "BROKEN"])
  func aRefusedMuteHoldsAndIsAskedForAgain(reason: String) async throws {
    try await run { rig, server, tap in
      let refusal = SessionScript.Answer.refuse(.explained(.resourceExhausted, reason))
      server.script { ($0.calls, $0.controls) = ([refusal], [refusal, refusal]) }
      let state = try await rig.local.setMute("", muted: true).state
      #expect(state.muted)
      try await expectSilence(tap, for: .milliseconds(1300))
      #expect(mutes(server) == [true, true, true])
      #expect(rig.status.mute.session)
    }
  }

  @Test func aMuteWhoseConditionIsNotMetChangesNothing() async throws {
    try await run { rig, server, tap in
      server.script { $0.calls = [.refuse(.explained(.aborted, "GENERATION_CHANGED"))] }
      let refused = await code {
        _ = try await rig.local.setMute("", muted: true, ifGeneration: 7)
      }
      #expect(refused == .aborted)
      try await processed(tap)
      #expect(mutes(server).isEmpty && !rig.status.mute.isMuted)
    }
  }

  @Test func anUnmuteOfAnotherClientDoesNotOverrideAMuteThatIsUnderWay() async throws {
    try await run { rig, server, tap in
      server.mute(true)
      try await eventually("muted") { rig.status.mute.session }
      let call = Task { try await rig.local.setMute("", muted: true) }
      defer { call.cancel() }
      try await eventually("under way") { server.script { $0.callCount } == 1 }
      server.mute(false)
      try await expectSilence(tap, for: .milliseconds(400))
      #expect(rig.status.mute.isMuted)
    }
  }

  @Test func aMuteThatIsNotAnsweredOutlivesTheSession() async throws {
    try await run { rig, server, tap in
      server.script { $0.laterControls = .ignore }
      let call = Task { try await rig.local.setMute("", muted: true) }
      defer { call.cancel() }
      try await eventually("muted") { rig.status.mute.isMuted }
      server.end(.explained(.aborted, "SESSION_TERMINATED"))
      try await expectSilence(tap, for: .milliseconds(600))
      #expect(server.script { $0.started.map(\.start.muted) } == [false, true])
    }
  }

  @Test func aMuteWhileASessionStartsIsSilentUntilTheSessionHasIt() async throws {
    try await run { rig, server, tap in
      server.script {
        $0.starts = [.refuse(.explained(.unavailable, "BUSY")), .accept]
        $0.laterControls = .ignore
      }
      server.end(.explained(.aborted, "SESSION_TERMINATED"))
      try await eventually("away") { !rig.status.isConnected }
      _ = try await rig.local.setMute("", muted: true)
      try await expectSilence(tap, for: .milliseconds(800))
      #expect(rig.status.mute.isMuted)
    }
  }
}
