import AnechoicAPI
import GRPCTransport
import SwiftProtobuf
import Testing
import VoiceClient

@testable import VoiceServer

/// Requests that the arbiter refuses.
@Suite(.timeLimit(.minutes(2)))
struct RefusedRoutingTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let field: String
    let requests: [Anechoic_V1_ArbitrateRequest]
    var testDescription: String { field }

    init(_ field: String, _ fill: (@Sendable (inout Anechoic_V1_ArbitrateRequest) -> Void)...) {
      self.field = field
      requests = fill.map { .with($0) }
    }
  }

  private static let long = String(repeating: "m", count: 64)

  static let cases = [
    Case("request", { _ in }),
    Case("register", { $0.activity = .init() }),
    Case("register", { $0.register.machine = "desk" }, { $0.register.machine = "desk" }),
    Case("register.machine", { $0.register = .init() }),
    Case("register.machine", { $0.register.machine = long }),
    Case("register.machine", { $0.register.machine = "a\u{1b}[2J" }),
    Case("register.group", { ($0.register.machine, $0.register.group) = ("desk", "a/b") }),
    Case(
      "register.held_headsets[0]",
      { ($0.register.machine, $0.register.heldHeadsets) = ("desk", [""]) }),
    Case(
      "activity.headsets", { $0.register.machine = "desk" },
      { $0.activity.headsets = (0...16).map { "h\($0)" } }),
    Case(
      "activity.headsets[1]", { $0.register.machine = "desk" },
      { $0.activity.headsets = ["a", "a"] }),
    Case(
      "activity.chosen_headsets", { $0.register.machine = "desk" },
      { $0.activity.chosenHeadsets = ["a"] }),
    Case(
      "activity.since_user_input", { $0.register.machine = "desk" },
      { $0.activity.sinceUserInput.seconds = -1 }),
    Case(
      "activity.since_user_input", { $0.register.machine = "desk" },
      { $0.activity.sinceUserInput.seconds = .max }),
  ]

  @Test(arguments: cases) func aWrongRequestNamesItsField(_ tested: Case) async throws {
    try await TestServer.run { server in
      let call = server.channel.call(
        Method(service: RPC.routing, name: RPC.arbitrate), timeout: .seconds(20))
      let status = try await server.status(
        of: call, after: tested.requests.map { try $0.serializedBytes() })
      try status.expect(.invalidArgument, field: tested.field)
    }
  }

  @Test func aFloodOfRequestsEndsTheCall() async throws {
    try await TestServer.run { server in
      let call = server.channel.call(
        Method(service: RPC.routing, name: RPC.arbitrate), timeout: .seconds(20))
      let flood = (0..<2000).map { number in
        Anechoic_V1_ArbitrateRequest.with { $0.activity.mediaPlaying = number.isMultiple(of: 2) }
      }
      let register = Anechoic_V1_ArbitrateRequest.with { $0.register.machine = "desk" }
      let status = try await server.status(
        of: call, after: ([register] + flood).map { try $0.serializedBytes() })
      #expect(status.code == .resourceExhausted && status.reason == "TOO_MANY_CONTROLS")
    }
  }

  @Test func oneHostHasALimitOfMachines() async throws {
    try await TestServer.run { server in
      let client = RoutingClient(server: server.address, clientName: "test")
      var machines: [RoutingStream] = []
      await #expect {
        for number in 0...RoutingService.mostMachinesPerAccount {
          machines.append(
            try await client.register(
              .with { ($0.group, $0.machine) = ("g\(number / 30)", "m\(number)") }))
        }
      } throws: { ($0 as? Status)?.reason == "ROUTING_FULL" }
      #expect(machines.count == RoutingService.mostMachinesPerAccount)
      // A place is free again once its machine has left.
      machines[0].leave()
      while try await machines[0].receive() != nil {}
      _ = try await client.register(.with { $0.machine = "late" })
    }
  }

  @Test(arguments: [("", "headset"), ("desk", ""), ("desk\n", "headset")])
  func aWrongChoiceIsRefused(machine: String, headset: String) async throws {
    try await TestServer.run { server in
      let client = RoutingClient(server: server.address, clientName: "test")
      await #expect {
        try await client.choose(machine, for: headset)
      } throws: {
        ["NO_HEADSET", "INVALID_FIELD"].contains(($0 as? Status)?.reason)
      }
    }
  }
}
