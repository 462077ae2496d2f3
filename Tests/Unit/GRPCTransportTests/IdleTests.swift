import GRPCTransport
import Testing
import TestTime

@Suite(.timeLimit(.minutes(1)))
struct IdleTests {
  @Test func aCallAnswersAfterFiveSilentSeconds() async throws {
    try await withServer { server in
      let call = server.call()
      try await #expect(call.exchange([1]) == [1])
      try await realTime(.seconds(5))
      let began = ContinuousClock.now
      try await #expect(call.exchange([2]) == [2])
      print("the first round trip after 5 s of silence took \(ContinuousClock.now - began)")
    }
  }
}
