import AnechoicAPI
import Authentication
import BundledEngines
import Foundation
import Operations
import SwiftProtobuf
import TestNetwork
import TestCredentials
import Testing
import VoiceEngines
import VoiceServer

/// A server with the door for WebSockets, which belongs to one test.
struct DoorServer {
  let server: VoiceProcessingServer
  let grpc: TestServer
  let address: String
  let issuer: TokenIssuer?

  /// Runs `body` with a server. With `tokens`, the server requires tokens.
  static func run(
    tokens: Bool = false, origins: [String] = [], refusal: String? = nil,
    _ configure: (inout ServerConfiguration) -> Void = { _ in },
    _ body: (DoorServer) async throws -> Void
  ) async throws {
    let issuer = tokens ? try await TokenIssuer() : nil
    var configuration = TestServer.configuration()
    if let issuer {
      configuration.authenticator = TokenAuthenticator(
        keys: .file(try TokenKeyFile(path: issuer.path("keys.json"))),
        policy: TokenPolicy(issuer: TokenIssuer.issuer, audience: TokenIssuer.audience))
    }
    configure(&configuration)
    let server = try VoiceProcessingServer(configuration)
    let sockets = try WebSocketService(messageBytes: 2 << 20)
    let rule = OriginRule(origins, or: BrowserRule(.thisMachine))
    let door = ProcessDoor(server, sockets, rule, refusal)
    let listener = try HTTPListener("127.0.0.1:0") { door.answer($0) ?? .refusal(.notFound) }
    defer {
      listener.stop()
      sockets.stop()
    }
    do {
      try await body(
        DoorServer(
          server: server, grpc: TestServer(server), address: listener.address, issuer: issuer))
    } catch {
      await server.stop(grace: .zero)
      throw error
    }
    await server.stop(grace: .zero)
  }

  /// Opens the door.
  func open(_ headers: [String: String] = [:]) throws -> RawWebSocketClient {
    try RawWebSocketClient(address, ProcessDoor.path, headers: headers)
  }

  /// Opens the door and sends a start.
  func start(
    _ start: Anechoic_V1_Start, _ headers: [String: String] = [:]
  ) throws -> RawWebSocketClient {
    let client = try open(headers)
    try #require(client.status == 101, "\(client.head)")
    client.send(try Anechoic_V1_ProcessRequest.start(start).jsonString())
    return client
  }
}

extension RawWebSocketClient {
  static let end = #"{"end":{}}"#

  /// Sends samples of the microphone, without the fields that a client may leave out.
  func send(microphone samples: [UInt8]) {
    let size = withUnsafeBytes(of: UInt32(samples.count).littleEndian) { Array($0) }
    send(Self.binary, [1, 0, 0, 0] + size + samples)
  }

  /// Returns the next text as a response, or nil for a status or the end.
  func nextResponse() throws -> Anechoic_V1_ProcessResponse? {
    while let frame = next() {
      guard frame.opcode == Self.text, !frame.text.hasPrefix("{\"status\"") else {
        if frame.opcode == Self.binary { continue }
        return nil
      }
      return try Anechoic_V1_ProcessResponse(jsonString: frame.text)
    }
    return nil
  }

  /// Returns the status that the call ends with: its code, its reason and the code of the frame that closes.
  func status() throws -> (code: String, reason: String, closing: Int, message: String) {
    let frames = rest()
    let last = try #require(frames.last)
    try #require(last.opcode == Self.close)
    let text = try #require(frames.dropLast().last { $0.opcode == Self.text })
    let object = try #require(
      JSONSerialization.jsonObject(with: Data(text.payload)) as? [String: [String: String]])
    let status = try #require(object["status"])
    return (status["code"] ?? "", status["reason"] ?? "", last.code, status["message"] ?? "")
  }
}

extension [RawWebSocketClient.Frame] {
  /// The samples of the processed output.
  var processed: [UInt8] {
    filter { $0.opcode == RawWebSocketClient.binary }.flatMap {
      (frame: RawWebSocketClient.Frame) -> [UInt8] in
      let bytes: [UInt8] = frame.payload
      guard bytes[0] == 16 else { return [] }
      let count = bytes[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
      let fields = 8 * (Int(bytes[1] & 1) + Int(bytes[1] >> 1 & 1))
      return [UInt8](bytes[(8 + fields)..<(8 + fields + count)])
    }
  }
}
