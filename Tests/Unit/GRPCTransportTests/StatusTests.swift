import GRPCTransport
import Testing
import TestTime

@Suite(.timeLimit(.minutes(1)))
struct StatusTests {
  @Test(arguments: StatusCode.allCases)
  func everyCodeArrives(code: StatusCode) async throws {
    let status = Status(code, code == .ok ? "" : "because of \(code.name)")
    try await withServer(.refusal(status)) { server in
      try await #expect(server.call().outcome() == status)
    }
  }

  @Test(arguments: [
    "", "100 % of it, a%20b", "grüße aus 東京 🎙", "two\nlines\r\n\tand a tab", "a\u{0}b",
    String(repeating: "long ", count: 600),
  ])
  func anyMessageArrives(message: String) async throws {
    let status = Status(.internal, message)
    try await withServer(.refusal(status)) { server in
      try await #expect(server.call().outcome() == status)
    }
  }

  @Test func detailsAreAnyBytes() async throws {
    let details = Array(UInt8.min...UInt8.max) + Array(UInt8.min...UInt8.max)
    let status = Status(.invalidArgument, "with details", details: details)
    try await withServer(.refusal(status)) { server in
      let call = server.call()
      try await #expect(call.outcome() == status)
    }
  }

  @Test func aStatusFollowsTheLastMessage() async throws {
    var script = ScriptedHandler.Script.echo
    script.writeCompleted = { $0.call.finish(Status(.dataLoss, "after one", details: [9])) }
    try await withServer(script) { server in
      let call = server.call()
      try await #expect(call.exchange([1]) == [1])
      try await #expect(call.outcome() == Status(.dataLoss, "after one", details: [9]))
      try await server.journal.wait(for: .released)
      #expect(server.journal.count(of: .cancelled) == 0)
    }
  }

  @Test func anUnknownMethodIsUnimplemented() async throws {
    try await withServer { server in
      let channel = server.channel()
      let unknown = [
        Method(service: "anechoic.test.Service", name: "Missing"),
        Method(service: "anechoic.test.Missing", name: "Test"),
        Method(service: "", name: ""),
      ]
      for method in unknown {
        try await #expect(channel.call(method).outcome().code == .unimplemented)
        let error = await #expect(throws: Status.self) {
          try await within { try await channel.unary(method, [1]) }
        }
        #expect(error?.code == .unimplemented)
      }
      try await #expect(channel.call(.test).exchange([1]) == [1])
      #expect(server.journal.count(of: .started) == 1)
    }
  }

  @Test func anAbsentServerIsUnavailable() async throws {
    let address = try await withServer { $0.address }
    let call = Channel(target: address).call(.test)
    try await #expect(call.outcome().code == .unavailable)
  }

  @Test func twoMethodsHaveTheirOwnHandlers() async throws {
    let journal = Journal()
    let other = ServerMethod(.other) {
      ScriptedHandler($0, journal, .refusal(Status(.outOfRange, "other")))
    }
    try await withServer(also: [other]) { server in
      let channel = server.channel()
      try await #expect(channel.call(.test).exchange([1]) == [1])
      try await #expect(channel.call(.other).outcome() == Status(.outOfRange, "other"))
      try await journal.wait(for: .released)
      #expect(server.journal.count(of: .started) == 1)
    }
  }
}
