import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import Operations
import SwiftProtobuf
import TestAudio
import TestNetwork
import TestCredentials
import Testing

@testable import SessionWire
@testable import VoiceServer

/// Sessions over WebSockets, through real sockets.
@Suite(.timeLimit(.minutes(2)))
struct ProcessDoorTests {
  private static let start = Anechoic_V1_Start.mediaClock().withoutInjection
  private static let microphone = AudioFormat.s16.babble(2000)

  @Test func theOutputIsThatOfGRPC() async throws {
    try await DoorServer.run { server in
      let expected = try await server.grpc.exchange(
        Self.start, Anechoic_V1_ProcessRequest.audio(microphone: Self.microphone, .s16))
      let client = try server.start(Self.start)
      for chunk in Self.microphone.chunks(of: 640) { client.send(microphone: chunk) }
      client.send(RawWebSocketClient.end)
      let frames = client.rest()
      #expect(frames.processed == expected.processed)
      #expect(frames.last?.code == 1000)
      #expect(frames.dropLast().last?.text == #"{"status":{"code":"OK"}}"#)
    }
  }

  @Test func audioInJSONIsAudioToo() async throws {
    try await DoorServer.run { server in
      let client = try server.start(Self.start)
      client.send(
        try Anechoic_V1_ProcessRequest.microphone([UInt8](repeating: 0, count: 640)).jsonString())
      client.send(RawWebSocketClient.end)
      #expect(client.rest().processed.count == 640)
    }
  }

  @Test func controlsAndEventsAreJSON() async throws {
    try await DoorServer.run { server in
      let client = try server.start(Self.start)
      #expect(try client.nextResponse()?.started.session.hasPrefix("sessions/") == true)
      client.send(#"{"control": {"controlId": "9", "setMute": {"muted": true}}}"#)
      client.send(microphone: [UInt8](repeating: 0, count: 640))
      var answers: [Anechoic_V1_ProcessResponse] = []
      while answers.count < 2, let answer = try client.nextResponse() { answers.append(answer) }
      #expect(answers.contains { $0.controlResult.controlID == 9 })
      #expect(answers.contains { $0.event.muteChanged.state.muted })
    }
  }

  @Test(arguments: [
    (
      #"{"start":{"inputs":{"microphone":{"encoding":"PCM"}}}}"#, "start.inputs.microphone.encoding"
    ),
    (#"{"begin":{}}"#, "begin"),
    (#"{"start":{}}"#, "start.inputs.microphone"),
    (#"{"control":{}}"#, "control: came before start"),
    ("nonsense", ""),
    ("[]", ""),
  ])
  func aMessageThatIsWrongNamesItsField(text: String, field: String) async throws {
    try await DoorServer.run { server in
      let client = try server.open()
      client.send(text)
      let status = try client.status()
      #expect(status.code == "INVALID_ARGUMENT" && status.closing == 4003)
      #expect(status.message.hasPrefix(field), "\(status)")
      #expect(status.reason == (field.isEmpty ? "MALFORMED_REQUEST" : "INVALID_FIELD"))
    }
  }

  @Test func binaryMessagesThatAreWrongNameTheirPart() async throws {
    try await DoorServer.run { server in
      let client = try server.start(Self.start)
      client.send(RawWebSocketClient.binary, [16, 0, 0, 0, 0, 0, 0, 0])
      let status = try client.status()
      #expect(status.closing == 4003 && status.message.hasPrefix("parts[0]: 16 is not an input"))
    }
  }

  @Test func aTextThatIsTooLargeIsRefused() async throws {
    try await DoorServer.run { server in
      let client = try server.open()
      client.send(String(repeating: " ", count: 70_000))
      let status = try client.status()
      #expect(status.reason == "TEXT_TOO_LARGE" && status.closing == 4008)
    }
  }

  @Test func theLimitsOfSessionsApply() async throws {
    try await DoorServer.run {
      $0.limits.sessions = 1
    } _: { server in
      let first = try server.start(Self.start)
      #expect(try first.nextResponse() != nil)
      let status = try server.start(Self.start).status()
      #expect(status.code == "RESOURCE_EXHAUSTED" && status.closing == 4008)
    }
  }

  @Test func aClientThatSaysNothingIsEnded() async throws {
    try await DoorServer.run {
      $0.limits.startDeadline = .seconds(1)
    } _: { server in
      let status = try server.open().status()
      #expect(status.code == "DEADLINE_EXCEEDED" && status.closing == 4004)
    }
  }

  @Test func tokensAreThoseOfGRPC() async throws {
    try await DoorServer.run(tokens: true) { server in
      let issuer = try #require(server.issuer)
      let none = try server.start(Self.start).status()
      #expect(none.reason == "CREDENTIALS_MISSING" && none.closing == 4016)
      let reader = try issuer.token(for: "olga", "read")
      let scope = try server.start(Self.start, ["Authorization": "Bearer \(reader)"]).status()
      #expect(scope.closing == 4007)
      let media = try issuer.token(for: "olga", "media")
      let client = try server.start(Self.start, ["Authorization": "Bearer \(media)"])
      #expect(try client.nextResponse()?.started.session.isEmpty == false)
      // A browser sends no headers of its own.
      let browser = try server.start(
        Self.start, ["Sec-WebSocket-Protocol": "anechoic.v1, anechoic.bearer.\(media)"])
      #expect(browser.head.contains("Sec-WebSocket-Protocol: anechoic.v1\r\n"))
      #expect(!browser.head.contains(media))
      #expect(try browser.nextResponse()?.started.session.isEmpty == false)
    }
  }

  /// The mask "*" is the same in JSON as over gRPC, where it names no field of a configuration.
  @Test(arguments: [
    ("*", ["*"]), ("preferredMicMode,*", ["preferred_mic_mode", "*"]), ("mute.*", ["mute.*"]),
    ("", []),
  ])
  func aMaskIsThatOfGRPC(mask: String, paths: [String]) throws {
    let text = #"{"control":{"controlId":"7","updateConfig":{"updateMask":"\#(mask)"}}}"#
    let request = try SocketRequest(WebSocketMessage(.text, Array(text.utf8)))
    guard case .message(let bytes) = request else {
      Issue.record("this is no request: \(request)")
      return
    }
    let control = try Anechoic_V1_ProcessRequest(serializedBytes: bytes).control
    #expect(control.controlID == 7)
    let update = control.updateConfig
    #expect(update.updateMask.paths == paths)
    #expect(throws: InvalidFieldError.self) {
      try ConfigurationPatch(update, path: "config", mask: "update_mask")
    }
  }

  @Test(arguments: ["preferred_mic_mode", "preferredMicMode,", "*,,*"])
  func aMaskInNoFormOfJSONIsRefused(mask: String) {
    let text = #"{"control":{"controlId":"7","updateConfig":{"updateMask":"\#(mask)"}}}"#
    #expect(throws: (any Error).self) {
      try SocketRequest(WebSocketMessage(.text, Array(text.utf8)))
    }
  }

  @Test func aCallGoesOnAfterAMaskThatNamesNoField() async throws {
    try await DoorServer.run { server in
      let client = try server.start(Self.start)
      #expect(try client.nextResponse()?.started.session.isEmpty == false)
      client.send(#"{"control":{"controlId":"7","updateConfig":{"config":{},"updateMask":"*"}}}"#)
      let result = try client.nextResponse()?.controlResult
      #expect(result?.controlID == 7)
      #expect(result?.refusal.message.contains(#""*" is not a field of SessionConfig"#) == true)
      client.send(microphone: [UInt8](repeating: 0, count: 640))
      client.send(RawWebSocketClient.end)
      #expect(client.rest().dropLast().last?.text == #"{"status":{"code":"OK"}}"#)
    }
  }

  @Test func otherSitesAreRefused() async throws {
    try await DoorServer.run(origins: ["https://app.example"]) { server in
      for (origin, status) in [
        ("https://evil.example", 403), ("null", 403), ("https://app.example", 101),
        ("http://\(server.address)", 101),
      ] {
        let client = try server.open(["Origin": origin])
        #expect(client.status == status, "\(origin)")
      }
    }
  }

  @Test func requestsThatDoNotFitAreRefused() async throws {
    try await DoorServer.run { server in
      let chat = try server.open(["Sec-WebSocket-Protocol": "chat"])
      #expect(chat.status == 400)
      let plain = try server.open(["Upgrade": ""])
      #expect(plain.status == 426)
      let compressed = try server.open(["Sec-WebSocket-Extensions": "permessage-deflate"])
      #expect(compressed.status == 101 && !compressed.head.lowercased().contains("extensions"))
      let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
      let traced = try server.open(["traceparent": "00-\(trace)-00f067aa0ba902b7-01"])
      #expect(traced.head.contains("anechoic-correlation: \(trace)"))
    }
    try await DoorServer.run(refusal: "WebSockets are off") { server in
      let client = try server.open()
      #expect(client.status == 403 && client.body.contains("WebSockets are off"))
    }
  }

  @Test func aLostConnectionIsResumed() async throws {
    try await DoorServer.run {
      $0.limits.resumeWindow = .seconds(20)
    } _: { server in
      let client = try server.start(Self.start)
      let started = try #require(client.nextResponse()?.started)
      client.send(microphone: [UInt8](repeating: 0, count: 640))
      #expect(client.next()?.opcode == RawWebSocketClient.binary)
      client.reset()
      let again = try server.start(
        Self.start.with {
          $0.resumeToken = started.resumeToken
          $0.resumePoint.microphoneSample = 320
        })
      let resumed = try #require(again.nextResponse()?.started)
      #expect(resumed.session == started.session && resumed.resumed.microphoneSample == 320)
    }
  }

  @Test func aClientThatClosesEndsItsSession() async throws {
    try await Self.sessionEnds { client in
      let response = try client.nextResponse()
      #expect(response != nil)
      client.send(RawWebSocketClient.close, [0x03, 0xE9])
      #expect(client.rest().last?.code == 1001)
    }
  }

  @Test func aMessageThatIsWrongEndsItsSessionAsOverGRPC() async throws {
    try await Self.sessionEnds { client in
      client.send(#"{"begin":{}}"#)
      let frames = client.rest()
      #expect(frames.processed.count == 640, "what waits comes before the status")
      #expect(frames.last?.code == 4003)
    }
  }

  /// Expects that a client, which has sent 640 bytes of sound, ends its session instead of leaving it to be
  /// resumed.
  private static func sessionEnds(
    _ body: (RawWebSocketClient) throws -> Void
  ) async throws {
    try await DoorServer.run {
      $0.limits.resumeWindow = .seconds(300)
    } _: { server in
      let client = try server.start(start)
      client.send(microphone: [UInt8](repeating: 0, count: 640))
      try body(client)
      try await server.grpc.sessionsActive(become: 0)
    }
  }

  @Test func aServerThatStopsTellsItsClients() async throws {
    try await DoorServer.run { server in
      let client = try server.start(Self.start)
      #expect(try client.nextResponse() != nil)
      let waiting = try server.open()
      async let stopped: Void = server.server.stop(grace: .milliseconds(200))
      let status = try client.status()
      #expect(status.code == "UNAVAILABLE" && status.closing == 4014, "\(status)")
      #expect(waiting.rest().last?.code == 4014)
      await stopped
      // The door of a stopped server leads nowhere.
      let late = try server.open()
      #expect(late.next() == nil)
    }
  }

  @Test func aClientThatDoesNotReadIsEnded() async throws {
    try await DoorServer.run {
      $0.stalledConsumerTimeout = .seconds(1)
    } _: { server in
      let client = try server.start(Self.start.with { $0.inputs.microphone.sampleRateHz = 48_000 })
      let chunk = [UInt8](repeating: 0, count: 96_000)
      let sender = Thread { for _ in 0..<600 { client.send(microphone: chunk) } }
      sender.start()
      try await server.grpc.sessionsActive(become: 1)
      try await server.grpc.sessionsActive(become: 0)
      client.reset()
    }
  }
}

extension [UInt8] {
  fileprivate func chunks(of count: Int) -> [[UInt8]] {
    stride(from: 0, to: self.count, by: count).map { Array(self[$0...].prefix(count)) }
  }
}
