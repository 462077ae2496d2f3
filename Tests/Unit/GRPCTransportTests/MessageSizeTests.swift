import GRPCTransport
import Testing
import TestTime

@Suite(.timeLimit(.minutes(1)))
struct MessageSizeTests {
  private static let limit = 65_536

  private static func sending(_ limit: Int) -> ConnectionOptions {
    var options = ConnectionOptions()
    options.maximumSentMessageBytes = limit
    return options
  }

  private static func receiving(_ limit: Int) -> ConnectionOptions {
    var options = ConnectionOptions()
    options.maximumReceivedMessageBytes = limit
    return options
  }

  private func message(_ count: Int) -> [UInt8] { [UInt8](repeating: 1, count: count) }

  @Test func aMessageOverTheServersLimitEndsItsCallAlone() async throws {
    var options = Server.Options.loopback
    options.connection = Self.receiving(Self.limit)
    try await withServer(options: options) { server in
      let channel = server.channel()
      let other = channel.call(.test)
      try await #expect(other.exchange([1]) == [1])
      for call in 2..<12 {
        let offender = channel.call(.test)
        let largest = message(Self.limit)
        try await #expect(offender.exchange(largest) == largest)
        try? await within { try await offender.send(self.message(Self.limit + 1)) }
        try await #expect(offender.outcome().code == .resourceExhausted)
        try await server.journal.wait(for: .released, in: call)
        #expect(server.journal.count(of: .cancelled, in: call) == 1)
        #expect(server.journal.count(of: .halfClosed, in: call) == 0)
      }
      try await #expect(other.exchange([2]) == [2])
      other.halfClose()
      try await #expect(other.outcome() == .ok)
    }
  }

  @Test func aUnaryRequestOverTheLimitIsRefused() async throws {
    var options = Server.Options.loopback
    options.connection = Self.receiving(Self.limit)
    let method = ServerMethod.unary(.test) { request, _ in request }
    try await withServer([method], options: options) { server in
      let channel = server.channel()
      let error = await #expect(throws: Status.self) {
        try await within { try await channel.unary(.test, self.message(Self.limit + 1)) }
      }
      #expect(error?.code == .resourceExhausted)
    }
  }

  @Test func aMessageOverTheLimitOfItsMethodIsRefused() async throws {
    let method = ServerMethod.unary(.test) { request, _ in request }.with(largestMessage: 1000)
    try await withServer([method]) { server in
      let channel = server.channel()
      let largest = message(1000)
      try await #expect(within { try await channel.unary(.test, largest) } == largest)
      let error = await #expect(throws: Status.self) {
        try await within { try await channel.unary(.test, self.message(1001)) }
      }
      #expect(error?.code == .resourceExhausted)
      #expect(error?.message.contains("at most 1000 are allowed") == true)
    }
  }

  @Test func withoutALimitItIsFourMebibytes() async throws {
    try await withServer { server in
      let largest = message(4 * 1_048_576)
      try await #expect(server.call().exchange(largest) == largest)
      let call = server.call()
      try? await within { try await call.send(largest + [0]) }
      try await #expect(call.outcome().code == .resourceExhausted)
    }
  }

  @Test func theClientHasALimitOfItsOwn() async throws {
    try await withServer { server in
      let call = server.channel(Self.receiving(1000)).call(.test)
      let largest = message(1000)
      try await #expect(call.exchange(largest) == largest)
      try await within { try await call.send(self.message(1001)) }
      try await #expect(call.outcome().code == .resourceExhausted)
      try await server.journal.wait(for: .cancelled)
    }
  }

  @Test func theClientRefusesToSendMoreThanItsLimit() async throws {
    try await withServer { server in
      let channel = server.channel(Self.sending(1000))
      let call = channel.call(.test)
      let error = await #expect(throws: Status.self) {
        try await within { try await call.send(self.message(1001)) }
      }
      #expect(error?.code == .resourceExhausted)
      try await #expect(channel.call(.test).exchange([1]) == [1])
    }
  }

  @Test func aResponseOverTheServersLimitEndsTheCall() async throws {
    var options = Server.Options.loopback
    options.connection = Self.sending(1000)
    let script = ScriptedHandler.Script(received: { handler, _ in
      handler.write([UInt8](repeating: 0, count: 1001))
    })
    try await withServer(script, options: options) { server in
      let call = server.call()
      try await within { try await call.send([1]) }
      try await #expect(call.outcome().code == .resourceExhausted)
      try await server.journal.wait(for: .released)
    }
  }
}
