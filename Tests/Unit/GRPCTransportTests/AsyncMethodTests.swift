import GRPCTransport
import Testing
import TestTime

/// Methods with one request and an asynchronous body.
@Suite(.timeLimit(.minutes(1)))
struct AsyncMethodTests {
  private struct RefusedError: Error, CustomStringConvertible {
    let description = "refused by the test"
  }

  private let reversing = ServerMethod.unary(.test) { request, _ in request.reversed() }

  @Test func aUnaryCallIsAnswered() async throws {
    try await withServer([reversing]) { server in
      let channel = server.channel()
      try await #expect(within { try await channel.unary(.test, [1, 2, 3]) } == [3, 2, 1])
      try await #expect(within { try await channel.unary(.test, []) } == [])
      let large = [UInt8](repeating: 5, count: 1_048_576)
      try await #expect(within { try await channel.unary(.test, large) } == large)
    }
  }

  @Test func manyUnaryCallsAtOnceGetTheirOwnAnswers() async throws {
    var options = Server.Options.loopback
    options.queueCount = 2
    try await withServer([reversing], options: options) { server in
      let channel = server.channel()
      try await withThrowingTaskGroup { group in
        for index in 0..<200 {
          group.addTask {
            let request = [UInt8("\(index)".utf8.count), UInt8(index)]
            let answer = try await within { try await channel.unary(.test, request) }
            #expect(answer == request.reversed())
          }
        }
        try await group.waitForAll()
      }
    }
  }

  @Test func aThrownStatusIsTheAnswerOfAUnaryCall() async throws {
    let status = Status(.alreadyExists, "twice", details: [0, 1, 255])
    let method = ServerMethod.unary(.test) { _, _ in throw status }
    try await withServer([method]) { server in
      let channel = server.channel()
      let error = await #expect(throws: Status.self) {
        try await within { try await channel.unary(.test, [1]) }
      }
      #expect(error == status)
    }
  }

  @Test func anyOtherErrorIsInternal() async throws {
    let method = ServerMethod.unary(.test) { _, _ in throw RefusedError() }
    try await withServer([method]) { server in
      let channel = server.channel()
      let error = await #expect(throws: Status.self) {
        try await within { try await channel.unary(.test, [1]) }
      }
      #expect(error == Status(.internal, "refused by the test"))
    }
  }

  @Test func aUnaryCallWithoutARequestIsInvalid() async throws {
    try await withServer([reversing]) { server in
      let call = server.call()
      call.halfClose()
      try await #expect(call.outcome().code == .invalidArgument)
    }
  }

  @Test func aUnaryCallWithTwoRequestsIsInvalid() async throws {
    try await withServer([reversing]) { server in
      let call = server.call()
      try await within { try await call.send([1]) }
      try? await within { try await call.send([2]) }
      try await #expect(call.outcome().code == .invalidArgument)
    }
  }

  @Test func aServerStreamingCallGivesEveryResponseInOrder() async throws {
    let method = ServerMethod.serverStreaming(.test) { request, _, responses in
      for index in 0..<request[0] { try await responses.send([index]) }
    }
    try await withServer([method]) { server in
      let channel = server.channel()
      let call = try await within { try await channel.serverStreaming(.test, [200]) }
      try await #expect(call.remainder() == (0..<200).map { [$0] })
      let empty = try await within { try await channel.serverStreaming(.test, [0]) }
      try await #expect(empty.remainder() == [])
    }
  }

  @Test func aStreamMayFailAfterItsResponses() async throws {
    let method = ServerMethod.serverStreaming(.test) { _, _, responses in
      try await responses.send([1])
      throw Status(.dataLoss, "half way")
    }
    try await withServer([method]) { server in
      let channel = server.channel()
      let call = try await within { try await channel.serverStreaming(.test, [200]) }
      try await #expect(within { try await call.receive() } == [1])
      try await #expect(call.outcome() == Status(.dataLoss, "half way"))
    }
  }

  @Test func anAsynchronousMethodKnowsItsClient() async throws {
    let method = ServerMethod.unary(.test) { _, context in
      let secondsLeft = context.timeLeft.map { Double($0.components.seconds) } ?? -1
      return Array("\(context.method) \(context.metadata["who"] ?? "") \(secondsLeft > 50)".utf8)
    }
    try await withServer([method]) { server in
      var metadata = Metadata()
      metadata.append("who", "me")
      let channel = server.channel()
      let answer = try await within { [metadata] in
        try await channel.unary(.test, [], metadata: metadata, timeout: .seconds(60))
      }
      #expect(String(decoding: answer, as: UTF8.self) == "\(Method.test) me true")
    }
  }
}
