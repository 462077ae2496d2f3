import AnechoicAPI
import Foundation
import Glibc
import GRPCTransport
import ScriptedDevices
import Testing
import TestTime
import VoiceClient

@testable import VoiceEdge

/// One mute state, and the ways to change it.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct MuteTests {
  private func run(
    _ change: (inout AgentRig.Setup) throws -> Void = { _ in },
    _ body: (AgentRig) async throws -> Void
  ) async throws {
    try await AgentRig.run { setup in
      try setup.folder.write("", "lamp")
      setup.configuration.mute.lamps = [setup.folder.path("lamp")]
      try change(&setup)
    } _: { rig in
      try await rig.running()
      try await body(rig)
    }
  }

  private func expectMuted(
    _ rig: AgentRig, _ muted: Bool, holders: [Anechoic_V1_MuteHolder]
  ) async throws {
    try await eventually("muted: \(muted)") {
      let status = try await rig.edgeStatus()
      return status.muted == muted && status.muteHolders == holders
        && rig.folder.text("lamp") == (muted ? "1\n" : "0\n")
    }
  }

  @Test func aProgramOfThisMachineMutes() async throws {
    try await run { rig in
      let state = try await rig.local.setMute("sessions/edge", muted: true).state
      #expect(state.muted && state.actor == "olga")
      try await expectMuted(rig, true, holders: [.session])
      #expect(try await rig.remote.get("sessions/edge").mute == state)
      #expect(try await rig.edgeStatus().muteActor == "olga")
      _ = try await rig.local.setMute("", muted: false)
      try await expectMuted(rig, false, holders: [])
    }
  }

  @Test func somebodyAtTheServerMutes() async throws {
    try await run { rig in
      _ = try await rig.remote.setMute("sessions/edge", muted: true)
      try await expectMuted(rig, true, holders: [.session])
      #expect(try await rig.edgeStatus().muteActor == "paul")
      _ = try await rig.remote.setMute("sessions/edge", muted: false)
      try await expectMuted(rig, false, holders: [])
    }
  }

  @Test(arguments: [true, false])
  func theKeyMutes(hasServer: Bool) async throws {
    try await run { setup in
      setup.hasServer = hasServer
      #expect(mkfifo(setup.folder.path("key"), 0o600) == 0)
      setup.configuration.mute.keys = [setup.folder.path("key")]
    } _: { rig in
      // A session ignores presses before its first audio.
      if hasServer { try await eventually("audio flows") { rig.status.latency.server > 0 } }
      let key = open(rig.folder.path("key"), O_RDWR | O_NONBLOCK | O_CLOEXEC)
      defer { close(key) }
      for muted in [true, false] {
        let press = [UInt8].micMutePress
        #expect(write(key, press, press.count) == press.count)
        try await expectMuted(rig, muted, holders: muted ? [.session] : [])
        // A press right after another one counts as a bounce.
        try await realTime(.milliseconds(60))
      }
      #expect(try await rig.edgeStatus().muteActor == "agent")
    }
  }

  @Test func theCommandDecidesAPressWhereThePolicyIsToAsk() async throws {
    try await run { setup in
      setup.configuration.session.configuration.mute.gesturePolicy = .ask
      setup.configuration.mute.gestureCommand = "test -e \(setup.folder.path("yes"))"
      #expect(mkfifo(setup.folder.path("key"), 0o600) == 0)
      setup.configuration.mute.keys = [setup.folder.path("key")]
    } _: { rig in
      let events = try await EventLog(rig)
      defer { events.stop() }
      // A session ignores presses before its first audio.
      try await eventually("audio flows") { rig.status.latency.server > 0 }
      let key = open(rig.folder.path("key"), O_RDWR | O_NONBLOCK | O_CLOEXEC)
      defer { close(key) }
      let press = [UInt8].micMutePress
      #expect(write(key, press, press.count) == press.count)
      try await eventually("refused") {
        events.all.contains { !$0.muteGestureResolved.gestureID.isEmpty }
      }
      try await expectMuted(rig, false, holders: [])
      try rig.folder.write("", "yes")
      try await realTime(.milliseconds(60))
      #expect(write(key, press, press.count) == press.count)
      try await expectMuted(rig, true, holders: [.session])
    }
  }

  private func withKey(
    _ change: (inout AgentRig.Setup) -> Void,
    _ body: (AgentRig, _ press: (Int) async throws -> Void) async throws -> Void
  ) async throws {
    try await run { setup in
      #expect(mkfifo(setup.folder.path("key"), 0o600) == 0)
      setup.configuration.mute.keys = [setup.folder.path("key")]
      change(&setup)
    } _: { rig in
      let key = open(rig.folder.path("key"), O_RDWR | O_NONBLOCK | O_CLOEXEC)
      defer { close(key) }
      try await body(rig) { count in
        for _ in 0..<count {
          let press = [UInt8].micMutePress
          #expect(write(key, press, press.count) == press.count)
          // Presses that follow faster count as bounces.
          try await realTime(.milliseconds(60))
        }
      }
    }
  }

  @Test func aPressOutlivesTheSessionThatShouldDecideIt() async throws {
    try await withKey { setup in
      setup.configuration.session.configuration.mute.gesturePolicy = .ask
      let (asked, go) = (setup.folder.path("asked"), setup.folder.path("go"))
      setup.configuration.mute.gestureCommand =
        "touch \(asked); until test -e \(go); do sleep 0.01; done"
    } _: { rig, press in
      try await eventually("audio flows") { rig.status.latency.server > 0 }
      try await press(1)
      try await eventually("it is asked") {
        FileManager.default.fileExists(atPath: rig.folder.path("asked"))
      }
      try await rig.remote.delete("sessions/edge")
      try rig.folder.write("", "go")
      try await expectMuted(rig, true, holders: [.session])
    }
  }

  @Test(arguments: [true, false])
  func pressesWithinOneDecisionAreDecidedInTurn(hasServer: Bool) async throws {
    try await withKey { setup in
      setup.hasServer = hasServer
      setup.configuration.session.configuration.mute.gesturePolicy = .ask
      setup.configuration.mute.gestureCommand =
        "sleep 0.4; echo $ANECHOIC_MUTED >> \(setup.folder.path("asked"))"
    } _: { rig, press in
      if hasServer { try await eventually("audio flows") { rig.status.latency.server > 0 } }
      try await press(5)
      try await eventually("all are asked") {
        rig.folder.text("asked") == "true\nfalse\ntrue\nfalse\ntrue\n"
      }
      try await expectMuted(rig, true, holders: [.session])
    }
  }

  @Test func withoutAServerTheCommandAloneDecides() async throws {
    try await withKey { setup in
      setup.hasServer = false
      setup.configuration.session.configuration.mute.gesturePolicy = .ask
      setup.configuration.session.configuration.mute.rejectGestureOnTimeout = true
      setup.configuration.mute.gestureCommand = "exit 0"
    } _: { rig, press in
      try await press(1)
      try await expectMuted(rig, true, holders: [.session])
    }
  }

  @Test func theSwitchOfTheDeviceMutesBesideTheSession() async throws {
    try await run { rig in
      let events = try await EventLog(rig)
      defer { events.stop() }
      rig.mixer.turn(on: false)
      try await expectMuted(rig, true, holders: [.hardware])
      _ = try await rig.local.setMute("", muted: true)
      try await expectMuted(rig, true, holders: [.session, .hardware])
      rig.mixer.turn(on: true)
      try await expectMuted(rig, true, holders: [.session])
      _ = try await rig.local.setMute("", muted: false)
      try await expectMuted(rig, false, holders: [])
      try await eventually("the server was told") {
        events.all.filter { $0.interruption.reason == .hardwareMuted }.map(\.interruption.began)
          == [true, false]
      }
    }
  }

  @Test func aDeviceThatGoesTakesItsSwitchAlong() async throws {
    try await run { rig in
      rig.mixer.turn(on: false)
      try await expectMuted(rig, true, holders: [.hardware])
      rig.mixer.unplug()
      try await expectMuted(rig, false, holders: [])
    }
  }

  @Test func theAgentMayStartMuted() async throws {
    try await run {
      $0.configuration.mute.startsMuted = true
    } _: { rig in
      try await expectMuted(rig, true, holders: [.session])
      #expect(try await rig.remote.get("sessions/edge").mute.muted)
    }
  }

  @Test func muteOutlivesTheServer() async throws {
    try await run { rig in
      _ = try await rig.remote.setMute("sessions/edge", muted: true)
      try await expectMuted(rig, true, holders: [.session])
      await rig.stopServer()
      try await eventually("away") { !rig.status.isConnected }
      try await expectMuted(rig, true, holders: [.session])
      try rig.startServer()
      try await rig.connected()
      #expect(try await rig.remote.get(rig.status.session).mute.muted)
      try await expectMuted(rig, true, holders: [.session])
    }
  }

  @Test func anotherSessionIsNotFoundHere() async throws {
    try await run { rig in
      let codes = await [
        code { _ = try await rig.local.setMute("sessions/x", muted: true) },
        code { _ = try await rig.local.get("sessions/x") },
        code { _ = try await rig.local.get("edge") },
        code { try await rig.local.delete("sessions/x") },
        code { _ = try await rig.local.watch("sessions/x").receive() },
      ]
      #expect(codes == [.notFound, .notFound, .notFound, .notFound, .notFound])
      let names = try await rig.local.list().map(\.name)
      #expect(names == ["sessions/edge"])
    }
  }
}
