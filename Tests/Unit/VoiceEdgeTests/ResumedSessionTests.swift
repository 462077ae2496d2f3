import AnechoicAPI
import Foundation
import Glibc
import GRPCTransport
import ScriptedDevices
import Synchronization
import Testing
import TestNetwork
import TestTime
import VoiceClient

@testable import VoiceEdge

/// An agent whose connection to the server breaks.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct ResumedSessionTests {
  /// Runs an agent with a proxy between it and its server.
  private func run(
    _ change: (inout AgentRig.Setup) -> Void = { _ in },
    _ body: (AgentRig, TCPProxy) async throws -> Void
  ) async throws {
    let proxy = Mutex<TCPProxy?>(nil)
    try await AgentRig.run { setup in
      change(&setup)
      let new = try TCPProxy(to: "unix:\(setup.folder.path("server"))")
      proxy.withLock { $0 = new }
      setup.configuration.server.address = new.address
    } _: { rig in
      let proxy = try #require(proxy.withLock { $0 })
      defer { proxy.stop() }
      try await body(rig, proxy)
    }
  }

  @Test func theSessionGoesOnAfterABrokenConnection() async throws {
    try await run { rig, proxy in
      let session = rig.status.session
      let events = try await EventLog(rig)
      defer { events.stop() }
      try await rig.remote.waitForFrames(100, of: session)
      proxy.refuse(true)
      proxy.cut()
      try await eventually("away") { !rig.status.isConnected }
      try await eventually("suspended") { try await rig.remote.get(session).state == .suspended }
      try await rig.plays(.milliseconds(500))
      proxy.refuse(false)
      try await rig.connected()
      let status = try await rig.edgeStatus()
      #expect(status.session == session)
      #expect(status.flow.sessions == 1 && status.flow.resumptions == 1 && status.hasLastGap)
      #expect(rig.log.contain("the session goes on"))
      try await eventually("a gap") {
        events.all.contains { $0.discontinuity.reason == .connectionLost }
      }
      let gap = try #require(
        events.all.first { $0.discontinuity.reason == .connectionLost }?.discontinuity)
      // At least the time without a connection, and no more than the test lasted.
      #expect((8000...16_000 * 20).contains(gap.missingSamples), "\(gap)")
      let frames = try await rig.remote.get(session).stats.flow.framesProcessed
      try await rig.remote.waitForFrames(frames + 50, of: session)
    }
  }

  @Test func aMuteByAnotherClientDuringTheGapHoldsAfterIt() async throws {
    try await run { rig, proxy in
      let session = rig.status.session
      try await rig.remote.waitForFrames(50, of: session)
      proxy.refuse(true)
      proxy.cut()
      try await eventually("away") { !rig.status.isConnected }
      _ = try await rig.remote.setMute(session, muted: true)
      proxy.refuse(false)
      try await rig.connected()
      try await eventually("muted") { try await rig.edgeStatus().muted }
      #expect(try await rig.remote.get(session).mute.actor == "paul")
    }
  }

  @Test func aMuteOnTheMachineDuringTheGapCountsMore() async throws {
    try await run { rig, proxy in
      let session = rig.status.session
      try await rig.remote.waitForFrames(50, of: session)
      proxy.refuse(true)
      proxy.cut()
      try await eventually("away") { !rig.status.isConnected }
      _ = try await rig.local.setMute("sessions/edge", muted: true)
      proxy.refuse(false)
      try await rig.connected()
      try await eventually("muted there") { try await rig.remote.get(session).mute.muted }
      #expect(try await rig.edgeStatus().muted)
      #expect(rig.status.sessionCount == 1)
    }
  }

  @Test func aPressOfTheKeyMutesAtOnceWhileTheServerIsSilent() async throws {
    try await run { setup in
      #expect(mkfifo(setup.folder.path("key"), 0o600) == 0)
      setup.configuration.mute.keys = [setup.folder.path("key")]
    } _: { rig, proxy in
      try await eventually("audio flows") { rig.status.latency.server > 0 }
      let key = open(rig.folder.path("key"), O_RDWR | O_NONBLOCK | O_CLOEXEC)
      defer { close(key) }
      proxy.freeze()
      let press = [UInt8].micMutePress
      #expect(write(key, press, press.count) == press.count)
      try await eventually("muted") { rig.status.mute.isMuted }
      #expect(rig.status.isConnected && rig.status.resumptionCount == 0)
      try await eventually("resumed") { rig.status.resumptionCount == 1 && rig.status.isConnected }
      try await eventually("muted there") {
        try await rig.remote.get(rig.status.session).mute.muted
      }
      #expect(rig.status.mute.isMuted)
    }
  }

  @Test func aSessionThatGoesOnHearsThatThereIsNoRouteAnyMore() async throws {
    try await run { rig, proxy in
      let session = rig.status.session
      try await eventually("a route") { try await rig.remote.get(session).hasRoute }
      try await rig.remote.waitForFrames(50, of: session)
      proxy.refuse(true)
      proxy.cut()
      try await eventually("away") { !rig.status.isConnected }
      try await eventually("suspended") { try await rig.remote.get(session).state == .suspended }
      rig.loudspeaker.unplug()
      try await eventually("no route") { rig.status.route == nil }
      proxy.refuse(false)
      try await rig.connected()
      #expect(rig.status.session == session && rig.status.resumptionCount == 1)
      try await eventually("no route there") { try await !rig.remote.get(session).hasRoute }
    }
  }

  @Test func aSilentNetworkIsNoticedAndTheSessionTakenOver() async throws {
    try await run { rig, proxy in
      let session = rig.status.session
      try await rig.remote.waitForFrames(50, of: session)
      proxy.freeze()
      try await eventually("resumed") { rig.status.resumptionCount == 1 && rig.status.isConnected }
      #expect(rig.status.session == session && rig.status.sessionCount == 1)
    }
  }

  @Test func callsOfTheMachineReachTheSessionAfterASilentLoss() async throws {
    try await run { rig, proxy in
      let session = rig.status.session
      // The connection of these calls is silent then, too.
      let watch = try await rig.local.watch("sessions/edge")
      _ = try await watch.receive()
      proxy.freeze()
      try await eventually("resumed") { rig.status.resumptionCount == 1 && rig.status.isConnected }
      _ = try await rig.local.setMute("", muted: true)
      #expect(try await rig.remote.get(session).mute.muted)
      #expect(try await rig.local.get("sessions/edge").mute.muted)
      // The watch ends, so that its program can start it again.
      #expect(await code { while try await watch.receive() != nil {} } == .unavailable)
    }
  }
}

extension SessionsClient {
  /// Waits until a session has processed this many frames.
  fileprivate func waitForFrames(_ count: UInt64, of session: String) async throws {
    try await eventually("\(count) frames") {
      try await self.get(session).stats.flow.framesProcessed >= count
    }
  }
}
