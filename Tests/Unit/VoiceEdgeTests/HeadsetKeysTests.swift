import Foundation
import Glibc
import Testing
import TestTime

@testable import VoiceEdge

/// The effects of the keys of a headset, from the data of an input device that a FIFO carries.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct HeadsetKeysTests {
  private func run(
    _ actions: [HeadsetKey: KeyAction], command: String? = nil, hasServer: Bool = true,
    _ body: (AgentRig, _ send: (UInt16, Int32) -> Void) async throws -> Void
  ) async throws {
    try await AgentRig.run { setup in
      #expect(mkfifo(setup.folder.path("key"), 0o600) == 0)
      setup.hasServer = hasServer
      setup.configuration.mute.keys = [setup.folder.path("key")]
      setup.configuration.keys.actions = actions
      setup.configuration.keys.command = command.map {
        $0.replacing("FILE", with: setup.folder.path("file"))
      }
    } _: { rig in
      if hasServer { try await eventually("audio flows") { rig.status.latency.server > 0 } }
      let key = open(rig.folder.path("key"), O_RDWR | O_NONBLOCK | O_CLOEXEC)
      defer { close(key) }
      try await body(rig) { code, value in
        let bytes = [UInt8].inputEvent(type: 1, code: code, value: value)
        #expect(write(key, bytes, bytes.count) == bytes.count)
      }
    }
  }

  @Test func aPlayKeyMayMute() async throws {
    try await run([.playPause: .mute]) { rig, send in
      for muted in [true, false] {
        send(164, 1)
        send(164, 0)
        try await eventually("muted: \(muted)") { rig.status.mute.session == muted }
        // A press right after another one counts as a bounce.
        try await realTime(.milliseconds(60))
      }
    }
  }

  @Test(arguments: [true, false])
  func theHookMutesAndUnmutes(hasServer: Bool) async throws {
    try await run([.hookSwitch: .mute], hasServer: hasServer) { rig, send in
      send(169, 0)
      try await eventually("muted") { rig.status.mute.session }
      send(169, 1)
      try await eventually("not muted") { !rig.status.mute.session }
      // Off the hook once more changes nothing; the next event shows that it was read.
      send(0x1bd, 1)
      send(0x1be, 1)
      try await eventually("muted again") { rig.status.mute.session }
    }
  }

  @Test func theCommandGetsTheKeyAndItsState() async throws {
    let command = "echo $ANECHOIC_KEY $ANECHOIC_PRESSED >> FILE"
    let actions: [HeadsetKey: KeyAction] = [.hookSwitch: .command, .playPause: .command]
    try await run(actions, command: command) { rig, send in
      for (code, value) in [(169, 1), (164, 1), (164, 0), (169, 0)] as [(UInt16, Int32)] {
        send(code, value)
      }
      try await eventually("all ran") {
        rig.folder.text("file") == "hook-switch true\nplay-pause true\nhook-switch false\n"
      }
    }
  }

  @Test func aCommandThatFailsIsLogged() async throws {
    try await run([.playPause: .command], command: "exit 3", hasServer: false) { rig, send in
      send(164, 1)
      try await eventually("told") {
        rig.log.contain("key play-pause: the command ended with 3")
      }
    }
  }

  @Test func aKeyWithoutAnActionDoesNothing() async throws {
    try await run([.micMute: .none, .playPause: .mute], hasServer: false) { rig, send in
      send(248, 1)
      send(164, 1)
      try await eventually("only the second counts") { rig.status.mute.session }
      #expect(rig.status.muteActor == "agent")
    }
  }
}
