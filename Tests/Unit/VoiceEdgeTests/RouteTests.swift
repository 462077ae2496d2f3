import AnechoicAPI
import EdgeAudio
import Foundation
import GRPCTransport
import ScriptedDevices
import Synchronization
import Testing
import TestTime
import VoiceClient

@testable import VoiceEdge

/// Ports that are plugged in, unplugged and selected.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct RouteTests {
  /// Runs an agent with a desk, and with a headset that has a higher priority.
  private func run(
    policy: EdgeConfiguration.Routes.Policy = .priority,
    _ body: (AgentRig, ScriptedDevice) async throws -> Void
  ) async throws {
    var headset: ScriptedDevice?
    try await AgentRig.run { setup in
      headset = setup.machine.addMicrophone("headset-mic") { _ in 0.1 }
      setup.machine.addLoudspeaker("headset-spk")
      var port = EdgeConfiguration.Port(id: "headset")
      (port.input, port.output) = ("headset-mic", "headset-spk")
      (port.priority, port.headphones, port.displayName) = (5, true, "The headset")
      setup.configuration.routes.ports.append(port)
      setup.configuration.routes.policy = policy
    } _: { rig in
      try await rig.running()
      try await body(rig, try #require(headset))
    }
  }

  private func route(_ rig: AgentRig, becomes id: String) async throws {
    try await eventually("route \"\(id)\"") { try await rig.edgeStatus().route == id }
  }

  @Test func anUnpluggedPortIsReplacedAndTheServerLearnsIt() async throws {
    try await run { rig, headset in
      try await route(rig, becomes: "headset")
      let events = try await EventLog(rig)
      defer { events.stop() }
      headset.unplug()
      try await route(rig, becomes: "desk")
      try await eventually("told") {
        events.all.contains {
          $0.routeChanged.reason == .deviceLost && $0.routeChanged.current.input.portID == "desk"
        }
      }
      let change = events.all.last { $0.routeChanged.reason != .unspecified }?.routeChanged
      #expect(change?.previous.input.portID == "headset")
      try await rig.running()
      #expect(rig.agent.devices.microphone.record.value.device == "mic")
      let ports = try await rig.edgeStatus().ports
      #expect(ports.map(\.present) == [true, false] && ports.map(\.priority) == [0, 5])
      headset.plug()
      try await route(rig, becomes: "headset")
      try await eventually("told") {
        events.all.contains {
          $0.routeChanged.reason == .automaticSwitch
            && $0.routeChanged.current.output.headphones
        }
      }
    }
  }

  @Test func aNamedPortIsWaitedFor() async throws {
    try await run(policy: .only("headset")) { rig, headset in
      try await route(rig, becomes: "headset")
      let events = try await EventLog(rig)
      defer { events.stop() }
      headset.unplug()
      try await route(rig, becomes: "")
      try await eventually("told") {
        events.all.contains { $0.routeChanged.reason == .noSuitableRoute }
      }
      try await eventually("idle") { rig.state(of: "microphone") == .idle }
      #expect(rig.microphone.openCount == 0)
      headset.plug()
      try await route(rig, becomes: "headset")
      try await rig.running()
    }
  }

  @Test func aPortIsChosenByHand() async throws {
    try await run { rig, headset in
      try await route(rig, becomes: "headset")
      let events = try await EventLog(rig)
      defer { events.stop() }
      _ = try await rig.chooseRoute("desk")
      try await route(rig, becomes: "desk")
      try await eventually("told") {
        events.all.contains { $0.routeChanged.reason == .override }
      }
      _ = try await rig.chooseRoute("")
      try await route(rig, becomes: "headset")
      let unknown = await code { _ = try await rig.chooseRoute("attic") }
      #expect(unknown == .notFound)
      headset.unplug()
      try await route(rig, becomes: "desk")
      let absent = await code { _ = try await rig.chooseRoute("headset") }
      #expect(absent == .failedPrecondition)
      try await rig.running()
    }
  }

  @Test func aLaterSessionLearnsThePort() async throws {
    try await run { rig, _ in
      try await route(rig, becomes: "headset")
      await rig.stopServer()
      try await eventually("away") { !rig.status.isConnected }
      try rig.startServer()
      try await rig.connected()
      try await eventually("told") {
        try await rig.remote.get(rig.status.session).route.input.portID == "headset"
      }
      #expect(try await rig.remote.get(rig.status.session).route.input.displayName == "The headset")
    }
  }

  @Test func aJackPlugsItsPortInAndOut() async throws {
    let jack = JackName(name: "Headphone Jack")
    let control = Mutex<ScriptedSwitch?>(nil)
    try await AgentRig.run { setup in
      let new = setup.machine.addControl("card")
      new.set(jack, isPlugged: false)
      control.withLock { $0 = new }
      var port = EdgeConfiguration.Port(id: "headphones")
      (port.input, port.output, port.control) = ("mic", "spk", "card")
      (port.jack, port.priority) = (jack, 5)
      setup.configuration.routes.ports.append(port)
    } _: { rig in
      try await rig.running()
      let card = try #require(control.withLock { $0 })
      #expect(try await rig.edgeStatus().route == "desk")
      card.set(jack, isPlugged: true)
      try await route(rig, becomes: "headphones")
      // The microphone is that of the desk, and stays open.
      #expect(rig.microphone.openCount == 1)
      card.unplug()
      try await route(rig, becomes: "desk")
      card.plug()
      try await route(rig, becomes: "headphones")
      card.set(jack, isPlugged: false)
      try await route(rig, becomes: "desk")
    }
  }
}
