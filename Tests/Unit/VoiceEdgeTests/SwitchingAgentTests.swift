import AnechoicAPI
@testable import VoiceEdge
import Foundation
import GRPCTransport
import SwiftProtobuf
import Synchronization
import Testing
import TestTime
import VoiceClient

/// An agent that shares its headset with another machine.
@Suite(.timeLimit(.minutes(2)))
struct SwitchingAgentTests {
  /// A player that counts its requests.
  private final class Player: PausesMedia {
    let calls = Mutex<[String]>([])
    var isPlaying: Bool { false }
    func pause() async { calls.withLock { $0.append("pause") } }
    func resume() async { calls.withLock { $0.append("resume") } }
  }

  private static func run(
    _ player: Player = Player(), _ change: (inout AgentRig.Setup) -> Void = { _ in },
    _ body: (AgentRig, RoutingStream) async throws -> Void
  ) async throws {
    try await AgentRig.run {
      var headset = EdgeConfiguration.Port(id: "headset")
      (headset.input, headset.output, headset.priority) = ("mic", "spk", 1)
      $0.configuration.routes.ports.append(headset)
      $0.configuration.switching = .init(
        group: "anna", machine: "agent", headsets: ["headset"], call: .farEnd)
      $0.configuration.programs.otherAudio = .fifo(path: $0.folder.path("music"))
      $0.configuration.programs.otherAudioChannels = 1
      $0.media = player
      change(&$0)
    } _: { rig in
      let phone = try await RoutingClient(
        server: "unix:\(rig.folder.path("server"))", clientName: "phone"
      ).register(.with { ($0.group, $0.machine) = ("anna", "phone") })
      try await body(rig, phone)
      phone.cancel()
    }
  }

  /// Waits until the arbiter knows whether the agent plays media.
  private static func arbiterKnows(_ plays: Bool, _ rig: AgentRig) async throws {
    let client = RoutingClient(server: "unix:\(rig.folder.path("server"))", clientName: "test")
    try await eventually("media plays: \(plays)") {
      try await client.routing(of: "anna").machines.contains {
        $0.machine == "agent" && $0.activity.mediaPlaying == plays
      }
    }
  }

  @Test func theRouteFollowsTheDecisions() async throws {
    try await Self.run { rig, phone in
      try await eventually("the headset is used") { rig.agent.routes.current?.id == "headset" }
      try await phone.send(.with { ($0.headsets, $0.microphoneOpen) = (["headset"], true) })
      try await eventually("the headset is given up") { rig.agent.routes.current?.id == "desk" }
      let status = try await rig.edgeStatus().switching
      #expect(status.connected && status.decisions.map(\.holder) == ["phone"])
      #expect(status.machine == "agent" && status.group == "anna")
    }
  }

  @Test func aHeadsetThatAPersonChoosesHereIsKept() async throws {
    try await Self.run { rig, phone in
      try await eventually("the headset is used") { rig.agent.routes.current?.id == "headset" }
      _ = try await rig.chooseRoute("headset")
      while let response = try await phone.receive(), !response.decision.chosen {}
      try await phone.send(.with { ($0.headsets, $0.microphoneOpen) = (["headset"], true) })
      while let response = try await phone.receive(), response.decision.holder != "agent" {}
      #expect(rig.agent.routes.current?.id == "headset")
      _ = try await rig.chooseRoute("")
      try await eventually("the headset is given up") { rig.agent.routes.current?.id == "desk" }
    }
  }

  @Test func aPersonMayMoveAChosenHeadsetElsewhere() async throws {
    try await Self.run { rig, phone in
      try await eventually("the headset is used") { rig.agent.routes.current?.id == "headset" }
      _ = try await rig.chooseRoute("headset")
      while let response = try await phone.receive(), !response.decision.chosen {}
      try await phone.send(
        .with { ($0.headsets, $0.chosenHeadsets) = (["headset"], ["headset"]) })
      try await eventually("the headset is given up") { rig.agent.routes.current?.id == "desk" }
    }
  }

  @Test func mediaPausesAndResumes() async throws {
    let player = Player()
    try await Self.run(player) { rig, phone in
      let sine = (0..<1600).map { 0.25 * Float(sin(2 * Double.pi * 500 * Double($0) / 16000)) }
      let music = FIFOFeed(rig.folder.path("music"), sine)
      defer { music.stop() }
      try await Self.arbiterKnows(true, rig)
      try await phone.send(.with { $0.microphoneOpen = true })
      try await eventually("paused") { player.calls.withLock { $0 == ["pause"] } }
      // The agent's own other audio waits.
      try await Self.arbiterKnows(false, rig)
      #expect(try await rig.edgeStatus().switching.mediaPaused)
      try await phone.send(.init())
      try await eventually("resumed") { player.calls.withLock { $0 == ["pause", "resume"] } }
      try await Self.arbiterKnows(true, rig)
    }
  }

  @Test func playersOfTheDesktopPauseAndResume() async throws {
    let folder = try Folder()
    let bus = try await PrivateBus(folder)
    let music = try await TestPlayer(bus, "music", "Playing")
    let film = try await TestPlayer(bus, "film", "Paused")
    try await Self.run {
      $0.configuration.programs.media = .arbiter
      $0.configuration.programs.sessionBus = bus.address.text
      $0.configuration.programs.mediaMemory = folder.path("players.json")
    } _: { rig, phone in
      try await Self.arbiterKnows(true, rig)
      try await phone.send(.with { $0.microphoneOpen = true })
      try await eventually("paused") { try await music.status == "Paused" }
      try await Self.arbiterKnows(false, rig)
      try await phone.send(.init())
      try await eventually("resumed") { try await music.status == "Playing" }
      #expect(try await film.calls == 0)
    }
  }
}
