import AnechoicAPI
@testable import VoiceEdge
import Foundation
import GRPCTransport
import SwiftProtobuf
import Testing
import TestTime
import VoiceClient

/// Interruptions of the microphone that the machine causes, as a watcher of the session sees them.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct InterruptionTests {
  /// Returns a watch that has begun: it misses nothing from now on.
  private func watching(_ remote: SessionsClient, _ session: String) async throws -> WatchStream {
    let watch = try await remote.watch(session)
    _ = try await watch.receive()
    return watch
  }

  private func next(
    _ watch: WatchStream, _ reason: Anechoic_V1_Interruption.Reason
  ) async throws -> Anechoic_V1_Interruption {
    while let response = try await watch.receive() {
      if case .event(let event) = response.item, case .interruption(let change) = event.event,
        change.reason == reason
      {
        return change
      }
    }
    throw Status(.internal, "the watch has ended before the event came")
  }

  @Test func aMachineThatSleepsInterruptsItsCall() async throws {
    let folder = try Folder()
    let bus = try await PrivateBus(folder)
    try await bus.start("logind.py", [], name: "org.freedesktop.login1")
    let manager = try await BusConnection.open(bus.address)
    func announceSleep(_ begins: Bool) async throws {
      try await manager.call(
        BusCall(
          "org.freedesktop.login1", "/org/freedesktop/login1", "org.anechoic.Test", "Sleep",
          [.boolean(begins)]))
    }
    try await AgentRig.run {
      $0.configuration.programs.systemBus = bus.address.text
    } _: { rig in
      try await rig.running()
      let session = rig.status.session
      let watch = try await watching(rig.remote, session)
      // The agent may come to the bus after the first announcements.
      try await eventually("the agent knows") {
        try await announceSleep(true)
        return try await !rig.remote.injectionStatus(session).available
      }
      #expect(try await next(watch, .suspended).began)
      try await announceSleep(false)
      let end = try await next(watch, .suspended)
      #expect(!end.began && end.shouldResume)
      try await eventually("the microphone counts again") {
        try await rig.remote.injectionStatus(session).available
      }
    }
  }

  @Test func aHeadsetThatAnotherMachineTakesInterruptsTheCallHere() async throws {
    try await AgentRig.run {
      $0.configuration.routes.ports[0].id = "headset"
      $0.configuration.switching = .init(
        group: "anna", machine: "agent", headsets: ["headset"], call: .farEnd)
      $0.configuration.programs.farEnd = .fifo(path: $0.folder.path("far-end"))
    } _: { rig in
      let phone = try await RoutingClient(
        server: "unix:\(rig.folder.path("server"))", clientName: "phone"
      ).register(.with { ($0.group, $0.machine) = ("anna", "phone") })
      try await eventually("the headset is used") { rig.agent.routes.current?.id == "headset" }
      let watch = try await watching(rig.remote, rig.status.session)
      try await phone.send(.with { ($0.headsets, $0.microphoneOpen) = (["headset"], true) })
      #expect(try await next(watch, .otherSession).began)
      phone.cancel()
      #expect(try await !next(watch, .otherSession).began)
      #expect(rig.agent.routes.current?.id == "headset")
    }
  }
}
