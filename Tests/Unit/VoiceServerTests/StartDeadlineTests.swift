import AnechoicAPI
import GRPCTransport
import SwiftProtobuf
import Testing
import TestTime
import VoiceClient
import VoiceServer

/// Calls that send no message.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct StartDeadlineTests {
  private static let methods = [
    Method(service: RPC.voiceProcessing, name: RPC.process),
    Method(service: RPC.sessions, name: RPC.watchSession),
    Method(service: RPC.sessions, name: RPC.recordSession),
    Method(service: RPC.sessions, name: RPC.injectSpeech),
    Method(service: RPC.sessions, name: RPC.getSession),
    Method(service: RPC.health, name: RPC.check),
  ]

  @Test(arguments: methods)
  func aCallWithoutAMessageEnds(method: GRPCTransport.Method) async throws {
    let clock = TestClock()
    try await TestServer.run {
      $0.clock = clock
    } _: { server in
      let call = server.channel.call(method, timeout: .seconds(20))
      let status = try await clock.advancing(by: .seconds(5)) {
        try await refusal { _ = try await call.receive() }
      }
      #expect(status?.code == .deadlineExceeded, "\(String(describing: status))")
      #expect(status?.reason == "START_TIMEOUT")
    }
  }

  @Test func anIncompleteMessageDoesNotCount() async throws {
    let clock = TestClock()
    try await TestServer.run {
      $0.clock = clock
    } _: { server in
      let client = try StubbornClient(server)
      let start: [UInt8] =
        try Anechoic_V1_ProcessRequest.start(.mediaClock()).serializedBytes()
      try client.sendPart(of: start)
      let trailers = try await clock.advancing(by: .seconds(5)) { try await client.read().trailers }
      #expect(trailers.contains("START_TIMEOUT"), "\(trailers)")
      #expect(try await server.client.capabilities().sessionsActive == 0)
    }
  }

  @Test func aSessionThatHasStartedMayStaySilent() async throws {
    let clock = TestClock()
    try await TestServer.run {
      $0.clock = clock
    } _: { server in
      let stream = try await server.client.process(.mediaClock())
      let late = server.call()
      try await clock.advancing(by: .seconds(5)) {
        _ = try await refusal { _ = try await late.receive() }
      }
      stream.finish()
      while try await stream.receive() != nil {}
    }
  }
}
