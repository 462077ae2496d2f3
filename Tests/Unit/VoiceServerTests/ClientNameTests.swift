import AnechoicAPI
import GRPCTransport
import SwiftProtobuf
import Testing
import VoiceClient
import VoiceServer

/// Names that clients give themselves in the header `anechoic-client`.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct ClientNameTests {
  /// A method of the two services, and a message that would be accepted without a wrong name.
  struct Call: Sendable, CustomTestStringConvertible {
    let method: GRPCTransport.Method
    let message: [UInt8]

    var testDescription: String { method.name }

    static var all: [Call] {
      get throws {
        let start = Anechoic_V1_ProcessRequest.start(.mediaClock())
        let recorder = Anechoic_V1_RecordSessionRequest.with { $0.name = "sessions/call-1" }
        return try [
          Call(
            method: Method(service: RPC.voiceProcessing, name: RPC.process),
            message: start.serializedBytes()),
          Call(
            method: Method(service: RPC.voiceProcessing, name: RPC.getCapabilities), message: []),
          Call(method: Method(service: RPC.sessions, name: RPC.listSessions), message: []),
          Call(
            method: Method(service: RPC.sessions, name: RPC.recordSession),
            message: recorder.serializedBytes()),
        ]
          + SessionMethod.all.map {
            Call(
              method: Method(service: RPC.sessions, name: $0.name),
              message: try $0.request("sessions/call-1"))
          }
      }
    }
  }

  /// Names that a header can carry and libgrpc's client would not send.
  private static let unprintable: [[UInt8]] = [
    Array("\u{1b}[31mred\u{1b}[0m".utf8),
    Array("caf\u{e9}\u{202e}".utf8),
    Array(("e" + String(repeating: "\u{301}", count: 50)).utf8),
    [0x61, 0xff, 0xfe],
    Array("trusted\u{7f}".utf8),
  ]

  @Test(arguments: try Call.all)
  func aNameThatIsTooLongIsRefused(call: Call) async throws {
    try await TestServer.run { server in
      var metadata = Metadata()
      metadata.append(RPC.clientName, String(repeating: "a", count: 101))
      let refused = server.channel.call(call.method, metadata: metadata, timeout: .seconds(20))
      let status = try await refusal {
        try await refused.send(call.message)
        refused.halfClose()
        while try await refused.receive() != nil {}
      }
      try #require(status).expect(.invalidArgument, field: "anechoic-client")
    }
  }

  @Test(arguments: try Call.all)
  func aNameThatIsNotPrintableIsRefused(call: Call) async throws {
    try await TestServer.run { server in
      for name in Self.unprintable {
        let client = try StubbornClient(server, call.method, clientName: name)
        try client.send([call.message], halfClosing: true)
        let answer = try await client.read()
        #expect(answer.messages.isEmpty)
        #expect(answer.trailers.contains("anechoic-client: \(ClientNameRule.text)"), "\(name)")
      }
      #expect(try await server.steering(as: "olga").list().isEmpty)
    }
  }

  @Test func aNameMayHaveOneHundredPrintableCharacters() async throws {
    try await TestServer.run { server in
      let name = "~ " + String(repeating: "a", count: 98)
      let client = VoiceProcessingClient(server: server.address, clientName: name)
      let stream = try await client.process(.mediaClock())
      #expect(try await server.steering(as: "olga").get(stream.started.session).owner == name)
      stream.cancel()
    }
  }

  @Test func anEmptyNameCountsAsNone() async throws {
    try await TestServer.run { server in
      let client = VoiceProcessingClient(server: server.address, clientName: "")
      let stream = try await client.process(.mediaClock())
      let owner = try await server.steering(as: "olga").get(stream.started.session).owner
      #expect(owner == "ipv4:127.0.0.1")
      stream.cancel()
    }
  }
}
