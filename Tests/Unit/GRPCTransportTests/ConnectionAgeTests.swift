import GRPCTransport
import Testing
import TestTime

/// Connections that reach the age at which their clients connect again.
@Suite(.timeLimit(.minutes(1)))
struct ConnectionAgeTests {
  /// Answers with the address of the client's connection.
  private static let peer = ServerMethod.unary(.other) { _, context in [UInt8](context.peer) }

  @Test func newCallsGoToANewConnectionAndRunningOnesAreNotHarmed() async throws {
    try await withServer(options: options(grace: .seconds(60)), also: [Self.peer]) { server in
      let channel = server.channel()
      let stream = channel.call(.test)
      let first = try await channel.unary(.other, [])
      try await eventually("a new connection") {
        #expect(try await stream.exchange([1]) == [1])
        return try await channel.unary(.other, []) != first
      }
      for _ in 0..<20 { #expect(try await stream.exchange([2]) == [2]) }
      stream.halfClose()
      #expect(try await stream.outcome() == .ok)
    }
  }

  @Test func aCallThatOutlivesTheGraceEnds() async throws {
    try await withServer(options: options(grace: .milliseconds(300))) { server in
      let stream = server.channel().call(.test)
      let answer = try await stream.exchange([1])
      let outcome = try await stream.outcome()
      #expect(answer == [1] && outcome.code == .unavailable, "\(outcome)")
    }
  }

  private func options(grace: Duration) -> Server.Options {
    var options = Server.Options.loopback
    options.limits.connectionAge = .milliseconds(200)
    options.limits.connectionAgeGrace = grace
    return options
  }
}
