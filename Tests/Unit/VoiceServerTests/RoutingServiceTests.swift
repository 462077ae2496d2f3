import AnechoicAPI
import Foundation
import GRPCTransport
import SwiftProtobuf
import Testing
import VoiceClient
import VoiceSessions

@testable import VoiceServer

/// The arbiter over real sockets.
@Suite(.timeLimit(.minutes(2)))
struct RoutingServiceTests {
  private static func client(_ server: TestServer, name: String = "test") -> RoutingClient {
    RoutingClient(server: server.address, clientName: name)
  }

  private static func machine(
    _ name: String, group: String = "anna", on server: TestServer
  ) async throws -> RoutingStream {
    let stream = try await client(server).register(
      .with { ($0.group, $0.machine) = (group, name) })
    try await stream.send(.with { $0.headsets = ["headset"] })
    return stream
  }

  /// Receives until a decision has this holder.
  private static func wait(
    for holder: String, on stream: RoutingStream
  ) async throws -> Anechoic_V1_RoutingDecision {
    while let response = try await stream.receive() {
      if response.decision.holder == holder { return response.decision }
    }
    throw Status(.notFound, "\(holder) never held the headset")
  }

  @Test func aCallTakesTheHeadsetPausesMediaAndGivesBoth() async throws {
    try await TestServer.run {
      $0.routing.linger = .milliseconds(50)
    } _: { server in
      let desk = try await Self.machine("desk", on: server)
      _ = try await Self.wait(for: "desk", on: desk)
      let phone = try await Self.machine("phone", on: server)
      try await desk.send(.with { ($0.headsets, $0.mediaPlaying) = (["headset"], true) })
      while try await Self.client(server).routing(of: "anna").machines.first?.activity.mediaPlaying
        != true
      {}
      try await phone.send(.with { ($0.headsets, $0.microphoneOpen) = (["headset"], true) })
      #expect(try await Self.wait(for: "phone", on: phone).reason == .call)
      let pause = try await desk.receive()
      #expect(pause?.mediaPauseRequested.machine == "phone")
      _ = try await Self.wait(for: "phone", on: desk)
      try await desk.send(.with { $0.headsets = ["headset"] })
      try await phone.send(.with { $0.headsets = ["headset"] })
      let back = try await Self.wait(for: "desk", on: desk)
      #expect(back.reason == .media)
      let resume = try await desk.receive()
      #expect(resume?.response == .mediaResumeRequested(.init()))
    }
  }

  @Test func aChoiceWinsUntilItIsReleased() async throws {
    try await TestServer.run { server in
      let client = Self.client(server)
      let desk = try await Self.machine("desk", on: server)
      let phone = try await Self.machine("phone", on: server)
      _ = try await Self.wait(for: "desk", on: desk)
      while try await client.routing(of: "anna").machines.last?.activity.headsets != ["headset"] {}
      let chosen = try await client.choose("phone", for: "headset", group: "anna")
      #expect(chosen.holder == "phone" && chosen.chosen && chosen.reason == .chosen)
      try await desk.send(.with { ($0.headsets, $0.microphoneOpen) = (["headset"], true) })
      while try await client.routing(of: "anna").machines.first?.activity.microphoneOpen != true {}
      #expect(try await client.routing(of: "anna").headsets.first?.holder == "phone")
      #expect(try await client.release("headset", group: "anna").holder == "desk")
      phone.cancel()
    }
  }

  @Test func aMachineThatLeavesGivesTheHeadsetAway() async throws {
    try await TestServer.run { server in
      let desk = try await Self.machine("desk", on: server)
      _ = try await Self.wait(for: "desk", on: desk)
      let phone = try await Self.machine("phone", on: server)
      while try await Self.client(server).routing(of: "anna").machines.last?.activity.headsets
        != ["headset"]
      {}
      desk.leave()
      #expect(try await Self.wait(for: "phone", on: phone).reason == .holderLeft)
      while try await desk.receive() != nil {}
    }
  }

  @Test func aSecondCallOfAMachineTakesOver() async throws {
    try await TestServer.run { server in
      let first = try await Self.machine("desk", on: server)
      let second = try await Self.machine("desk", on: server)
      await #expect {
        while try await first.receive() != nil {}
      } throws: { ($0 as? Status)?.reason == "TAKEN_OVER" }
      #expect(try await Self.wait(for: "desk", on: second).headset == "headset")
    }
  }

  @Test func aLostMachineKeepsItsPlaceForAWhile() async throws {
    try await TestServer.run {
      $0.routing.absence = .milliseconds(200)
    } _: { server in
      let desk = try await Self.machine("desk", on: server)
      _ = try await Self.wait(for: "desk", on: desk)
      let phone = try await Self.machine("phone", on: server)
      _ = try await Self.wait(for: "desk", on: phone)
      desk.cancel()
      _ = try await Self.wait(for: "phone", on: phone)
      #expect(
        try await Self.client(server).routing(of: "anna").machines.map(\.machine) == ["phone"])
    }
  }

  @Test func groupsAreApart() async throws {
    try await TestServer.run { server in
      let desk = try await Self.machine("desk", on: server)
      _ = try await Self.wait(for: "desk", on: desk)
      let other = try await Self.machine("other", group: "berta", on: server)
      #expect(try await Self.wait(for: "other", on: other).reason == .free)
      #expect(try await Self.client(server).routing().machines.isEmpty)
      await #expect {
        try await Self.client(server).choose("desk", for: "headset", group: "berta")
      } throws: { ($0 as? Status)?.reason == "NO_HEADSET" }
    }
  }

  @Test func groupsOfVerifiedClientsAreApart() async throws {
    try await TokenServer.run { tokens in
      func call(_ name: String) throws -> ClientCall {
        tokens.server.channel.call(
          Method(service: RPC.routing, name: RPC.arbitrate),
          metadata: try tokens.headers(name, "media read control"), timeout: .seconds(20))
      }
      let anna = try call("anna")
      try await anna.send(
        Anechoic_V1_ArbitrateRequest.with { $0.register.machine = "desk" }.serializedBytes())
      _ = try await anna.receive()
      func machines(_ name: String) async throws -> [String] {
        let bytes = try await tokens.server.channel.unary(
          Method(service: RPC.routing, name: RPC.getRouting),
          Anechoic_V1_GetRoutingRequest().serializedBytes(),
          metadata: try tokens.headers(name, "read"), timeout: .seconds(20))
        return try Anechoic_V1_GetRoutingResponse(serializedBytes: bytes).machines.map(\.machine)
      }
      #expect(try await machines("anna") == ["desk"])
      #expect(try await machines("berta") == [])
      anna.halfClose()
    }
  }

  @Test func aServerThatStopsEndsTheCalls() async throws {
    let server = try VoiceProcessingServer(TestServer.configuration())
    let desk = try await Self.machine("desk", on: TestServer(server))
    _ = try await Self.wait(for: "desk", on: desk)
    async let end: Void = server.stop(grace: .zero)
    await #expect {
      while try await desk.receive() != nil {}
    } throws: { ($0 as? Status)?.reason == "DRAINING" }
    await end
  }

  @Test func aLinkRegistersAgainWithNewServers() async throws {
    try await withUnixSocket { address in
      let (events, continuation) = AsyncStream.makeStream(of: String.self)
      let link = RoutingLink(RoutingClient(server: address, clientName: "test")) {
        .with { $0.machine = "desk" }
      } happened: { event in
        switch event {
        case .connected: continuation.yield("connected")
        case .away: continuation.yield("away")
        case .decision(let decision): continuation.yield(decision.holder)
        default: break
        }
      }
      link.report(.with { $0.headsets = ["headset"] })
      let work = Task { await link.run() }
      var configuration = TestServer.configuration()
      configuration.addresses = [address]
      var next = events.makeAsyncIterator()
      for _ in 0..<2 {
        let server = try VoiceProcessingServer(configuration)
        while await next.next() != "connected" {}
        #expect(await next.next() == "desk")
        await server.stop(grace: .zero)
        #expect(await next.next() == "away")
      }
      work.cancel()
      await work.value
    }
  }

  @Test func twoLinksOfOneMachineDoNotTakeItFromEachOtherAtOnceAgainAndAgain() async throws {
    try await TestServer.run { server in
      let (registrations, continuation) = AsyncStream.makeStream(of: Void.self)
      let links = (0..<2).map { _ in
        RoutingLink(Self.client(server)) {
          .with { $0.machine = "desk" }
        } happened: { event in
          if case .connected = event { continuation.yield() }
        }
      }
      let began = ContinuousClock.now
      let work = links.map { link in Task { await link.run() } }
      var next = registrations.makeAsyncIterator()
      // The links wait for 100, 200, 400 and 500 ms, at least 70 % of each.
      for _ in 0..<9 { await next.next() }
      #expect(.now - began >= .milliseconds(1300))
      for task in work {
        task.cancel()
        await task.value
      }
    }
  }
}
