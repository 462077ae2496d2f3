import GRPCTransport
import Testing
import TestTime

@Suite(.timeLimit(.minutes(1)))
struct CallShapeTests {
  @Test func aBidirectionalCallCarriesMessagesBothWaysInOrder() async throws {
    let messages = (0..<500).map { [UInt8]("message \($0)") }
    try await withServer { server in
      let call = server.call()
      async let answers = call.remainder()
      try await within {
        for message in messages { try await call.send(message) }
      }
      call.halfClose()
      try await #expect(answers == messages)
      try await server.journal.wait(for: .ended)
      #expect(server.journal.count(of: .halfClosed) == 1)
      #expect(server.journal.count(of: .cancelled) == 0)
    }
  }

  @Test func anEmptyMessageIsAMessage() async throws {
    try await withServer { server in
      let call = server.call()
      try await #expect(call.exchange([]) == [])
      try await #expect(call.exchange([7]) == [7])
      try await #expect(call.exchange([]) == [])
      call.halfClose()
      try await #expect(call.remainder() == [])
      #expect(server.journal.count(of: .received([])) == 2)
    }
  }

  @Test func aMegabyteArrivesWhole() async throws {
    let message = (0..<1_048_576).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try await withServer { server in
      let call = server.call()
      for _ in 0..<3 { try await #expect(call.exchange(message) == message) }
    }
  }

  @Test func fiftyCallsOfOneConnectionRunSideBySide() async throws {
    try await withServer { server in
      let channel = server.channel()
      let calls = (0..<50).map { _ in channel.call(.test) }
      for round in 0..<5 {
        for (index, call) in calls.enumerated() {
          try await within { try await call.send([UInt8(index), UInt8(round)]) }
        }
        for (index, call) in calls.enumerated() {
          try await #expect(within { try await call.receive() } == [UInt8(index), UInt8(round)])
        }
      }
    }
  }

  @Test func messagesBeforeTheEndArriveBeforeTheEnd() async throws {
    try await withServer(.source(20, bytes: 100)) { server in
      let call = server.call()
      let messages = try await call.remainder()
      #expect(messages.map(\.[0]) == Array(0..<20))
      #expect(messages.allSatisfy { $0.count == 100 })
    }
  }

  @Test func aServerMayAnswerBeforeItIsAsked() async throws {
    let script = ScriptedHandler.Script(
      started: { $0.write([1]) }, writeCompleted: { $0.call.finish(.ok) })
    try await withServer(script) { server in
      let call = server.call()
      try await #expect(call.remainder() == [[1]])
    }
  }

  @Test func sendingOnACallThatEndedOKIsRefused() async throws {
    try await withServer(.refusal(.ok)) { server in
      let call = server.call()
      try await #expect(call.remainder() == [])
      let error = await #expect(throws: Status.self) { try await call.send([1]) }
      #expect(error?.code == .failedPrecondition)
    }
  }

  @Test func theEndIsReportedToEveryReceive() async throws {
    try await withServer(.refusal(Status(.notFound, "no"))) { server in
      let call = server.call()
      try await #expect(call.outcome() == Status(.notFound, "no"))
      try await #expect(call.outcome() == Status(.notFound, "no"))
      call.halfClose()
      call.cancel()
      try await #expect(call.outcome() == Status(.notFound, "no"))
    }
  }
}
