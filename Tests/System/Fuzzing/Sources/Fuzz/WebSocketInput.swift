internal import AnechoicAPI
internal import Foundation
@testable internal import Operations
internal import SwiftProtobuf
@testable internal import VoiceServer

/// An input is what a client of the HTTP listener sends: the request that opens a WebSocket, frames, or a message
/// of `Process`. Its first byte tells which of them follows.
enum WebSocketInput: UInt8, CaseIterable {
  case frames, framesOfServer, text, audio, request

  private static let limits = WebSocketReader.Limits(messageBytes: 8 << 10, fragments: 8)

  static func run(_ input: UnsafeRawBufferPointer) {
    guard let first = input.first else { return }
    let bytes = Array(input.dropFirst())
    switch allCases[Int(first) % allCases.count] {
    case .frames: read(bytes, as: .server)
    case .framesOfServer: read(bytes, as: .client)
    case .text: take(WebSocketMessage(.text, bytes))
    case .audio: take(WebSocketMessage(.binary, bytes))
    case .request: open(bytes)
    }
  }

  /// Returns an input of this kind.
  func bytes(_ rest: [UInt8]) -> [UInt8] { [rawValue] + rest }

  /// Reads frames at once and byte by byte, which gives the same events.
  private static func read(_ bytes: [UInt8], as role: WebSocketRole) {
    let whole = events(of: [bytes], as: role)
    precondition(whole == events(of: bytes.map { [$0] }, as: role))
    for case .message(let message) in whole { take(message) }
  }

  private static func events(
    of pieces: [[UInt8]], as role: WebSocketRole
  ) -> [WebSocketReader.Event] {
    var reader = WebSocketReader(limits, as: role)
    var events: [WebSocketReader.Event] = []
    for piece in pieces {
      piece.withUnsafeBytes { reader.append($0) }
      while let event = reader.next() { events.append(event) }
      precondition(reader.keptBytes <= limits.messageBytes + bytesOfHead + piece.count)
    }
    return events
  }

  private static let bytesOfHead = 14

  /// Reads a message as a request, which then is one.
  private static func take(_ message: WebSocketMessage) {
    guard case .message(let bytes) = try? SocketRequest(message) else { return }
    precondition((try? Anechoic_V1_ProcessRequest(serializedBytes: bytes)) != nil)
  }

  private static func open(_ bytes: [UInt8]) {
    var parser = HTTPRequestParser()
    guard case .request(let request) = parser.accept(bytes) else { return }
    _ = WebSocketHandshake.check(request)
  }
}
