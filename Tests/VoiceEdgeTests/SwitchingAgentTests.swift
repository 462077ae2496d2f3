import AnechoicAPI
import Foundation
import GRPCTransport
import SwiftProtobuf
import Synchronization
import Testing
import VoiceClient

@testable import VoiceEdge

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
    _ player: Player = Player(),
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
    } _: { rig in
      let phone = try await RoutingClient(
        server: "unix:\(rig.folder.path("server"))", clientName: "phone"
      ).register(.with { ($0.group, $0.machine) = ("anna", "phone") })
      try await body(rig, phone)
      phone.cancel()
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
      try await eventually("the headset is used") { rig.agent.routes.current?.id == "headset" }
      let sine = (0..<1600).map { 0.25 * Float(sin(2 * Double.pi * 500 * Double($0) / 16000)) }
      let music = FIFOFeed(rig.folder.path("music"), sine)
      defer { music.stop() }
      try await eventually("media plays") {
        try await rig.edgeStatus().switching.activity.mediaPlaying
      }
      try await phone.send(.with { $0.microphoneOpen = true })
      try await eventually("paused") { player.calls.withLock { $0 == ["pause"] } }
      // The agent's own other audio waits.
      try await eventually("silent") { try await !rig.edgeStatus().switching.activity.mediaPlaying }
      #expect(try await rig.edgeStatus().switching.mediaPaused)
      try await phone.send(.init())
      try await eventually("resumed") { player.calls.withLock { $0 == ["pause", "resume"] } }
      try await eventually("media plays again") {
        try await rig.edgeStatus().switching.activity.mediaPlaying
      }
    }
  }
}
